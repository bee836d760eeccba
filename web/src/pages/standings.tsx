// All cars of a session, in games that report more than the player's. Every value is the game's own; unknown is a dash.

import { Fragment } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CarStanding, Standings } from "../api/client";
import { type Fetched, useFetch } from "../api/use";
import { feed } from "../live/feed";
import { UNKNOWN, delta, lapTime, sectorTime } from "../words/format";
import { word, words } from "../words/names";
import { Star } from "./lap_words";

/** Loads the cars of a session, and again when they have changed. */
export function useStandings(session: string | null, laps = false): Fetched<Standings> {
  const answer = useFetch<Standings>(session === null ? null : `/sessions/${session}/standings`, { laps });
  useEffect(() => feed.onEvent((event) => {
    const of = event.data.session ?? event.data.id;
    if (event.kind === "reset" || event.kind === "session_edited" || (of === session && /^(standings|session_)/.test(event.kind))) answer.reload();
  }), [session, answer.reload]);
  return answer;
}

/** Returns the time of the fastest car; null if no car has a time. */
export function fastest(cars: readonly CarStanding[]): number | null {
  const times = cars.flatMap((car) => car.best_ms ?? []);
  return times.length > 0 ? Math.min(...times) : null;
}

/** Formats a gap. The leader has none, and neither has a car whose gap the game does not report. */
export const gap = (ms: number | null | undefined): string => (ms == null ? UNKNOWN : delta(ms));

/** Returns what has ended the session of a car, in words; empty while it drives. */
export const ended = (result: string): string => (result === "active" || result === "unknown" ? "" : word(result));

/** Returns the name of a car: its driver, or else its number. */
export const nameOf = (car: CarStanding): string => car.driver_name ?? car.driver ?? `Car ${car.car}`;

/** The cars as a table. With `open` and `onOpen`, the laps of a car can be shown. */
export function StandingsTable({ cars, open = null, onOpen }: { cars: readonly CarStanding[]; open?: number | null; onOpen?: (car: number | null) => void }) {
  const any = (of: (car: CarStanding) => unknown) => cars.some((car) => of(car) != null);
  const [classes, tyres, stops] = [any((car) => car.class), any((car) => car.tyre), any((car) => car.pit_stops)];
  const best = fastest(cars);
  const columns = 8 + Number(classes) + Number(tyres) + Number(stops);
  return (
    <div class="panel scroll-x" tabIndex={0} role="region" aria-label="Standings">
      <table class="standings">
        <thead>
          <tr>
            <th class="num">Pos</th><th>Driver</th>{classes && <th>Class</th>}<th class="num">Lap</th><th class="num">Gap</th><th class="num">Interval</th>
            <th class="num">Last</th><th class="num">Best</th>{stops && <th class="num">Stops</th>}{tyres && <th>Tyre</th>}<th>Result</th>
          </tr>
        </thead>
        <tbody>
          {cars.map((car) => {
            const top = car.best_ms != null && car.best_ms === best;
            const shown = open === car.car;
            const name = nameOf(car);
            return (
              <Fragment key={car.car}>
                <tr data-car={car.car} class={car.is_player ? "own" : ""}>
                  <td class="num">{car.position ?? UNKNOWN}</td>
                  <td class="who">
                    {car.is_player && <span class="own-mark" aria-hidden="true">▸ </span>}
                    {onOpen
                      ? <button type="button" class="plain" aria-expanded={shown} onClick={() => onOpen(shown ? null : car.car)}>{name}</button>
                      : <span>{name}</span>}
                    {car.is_player && <span class="hidden"> (you)</span>}
                    {car.race_number != null && <span class="soft num"> {car.race_number}</span>}
                    {(car.car_model ?? car.team) && <span class="soft model"> {words(car.car_model ?? car.team ?? "")}</span>}
                  </td>
                  {classes && <td>{car.class ?? UNKNOWN}</td>}
                  <td class="num">{car.current_lap ?? UNKNOWN}</td>
                  <td class="num">{gap(car.gap_to_leader_ms)}</td>
                  <td class="num">{gap(car.gap_ahead_ms)}</td>
                  <td class="num">{lapTime(car.last_ms)}</td>
                  <td class={`num ${top ? "purple" : ""}`}>{top && <Star />}{lapTime(car.best_ms)}</td>
                  {stops && <td class="num">{car.pit_stops ?? UNKNOWN}</td>}
                  {tyres && <td>{car.tyre ? word(car.tyre) : UNKNOWN}</td>}
                  <td class="soft">{ended(car.result)}</td>
                </tr>
                {shown && <tr class="car-laps"><td colSpan={columns}><CarLaps car={car} /></td></tr>}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function CarLaps({ car }: { car: CarStanding }) {
  const laps = car.laps ?? null;
  if (laps === null) return <p class="soft" role="status">Loading…</p>;
  if (laps.length === 0) return <p class="soft">No laps.</p>;
  const sectors = Math.max(0, ...laps.map((lap) => lap.sectors_ms.length));
  return (
    <table aria-label={`Laps of ${nameOf(car)}`}>
      <thead><tr><th class="num">Lap</th><th class="num">Time</th>{Array.from({ length: sectors }, (_, n) => <th key={n} class="num">S{n + 1}</th>)}<th>Details</th></tr></thead>
      <tbody>
        {laps.map((lap) => (
          <tr key={lap.number}>
            <td class="num">{lap.number}</td><td class="num">{lapTime(lap.time_ms)}</td>
            {Array.from({ length: sectors }, (_, n) => <td key={n} class="num">{sectorTime(lap.sectors_ms[n])}</td>)}
            <td>{lap.valid === false && <span class="chip invalid">✕ invalid</span>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The section of a session page. Nothing if the game reports one car only. */
export function SessionStandings({ session }: { session: string }) {
  const [open, setOpen] = useState<number | null>(null);
  const { data } = useStandings(session, open !== null);
  if (!data || data.session !== session || data.cars.length === 0) return null;
  return <section><h2>Standings</h2><StandingsTable cars={data.cars} open={open} onOpen={setOpen} /></section>;
}

/** The section of the live page. */
export function LiveStandings({ session }: { session: string | null }) {
  const { data } = useStandings(session);
  if (!data || data.session !== session || data.cars.length === 0) return null;
  return <section class="live-standings"><h2>Standings</h2><StandingsTable cars={data.cars} /></section>;
}
