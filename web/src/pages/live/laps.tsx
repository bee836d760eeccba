// The laps of the current session: loaded once, then updated from live events, so that a lap appears as soon as it is reported.

import { useEffect, useMemo, useState } from "preact/hooks";
import { type Lap, type Session, fetchJson } from "../../api/client";
import { feed } from "../../live/feed";
import type { State } from "../../live/messages";
import { bestSectors, least, countingTimes } from "../../numbers/stats";
import { delta, deltaClass, lapTime, sectorTime } from "../../words/format";
import { Badges, Star, timeTone } from "../lap_words";
import { useFact } from "./figures";

const LAP_EVENTS = new Set(["lap_provisional", "lap_final", "lap_aborted", "lap_amended"]);

export interface Running {
  session: Session | null;
  laps: Lap[];
  bestMs: number | null;
  bestSectors: (number | null)[];
}

/** Returns the session to request: that of the shown car, or the newest one while no game is running. With several cars being recorded, the newest
 * session is not always the one shown. Null if nothing is known yet. */
export function sessionRequest(state: State | null, id: string | null): { path: string; newest: boolean } | null {
  if (state === null) return null;
  if (state === "waiting") return { path: "/sessions", newest: true };
  return id === null ? null : { path: `/sessions/${id}`, newest: false };
}

/** Returns the session of the shown car, or the newest one while no game is running. */
export function useRunningSession(): Running {
  const id = useFact((f) => f?.car.session ?? null);
  const state = useFact((f) => f?.state ?? null);
  const [found, setSession] = useState<Session | null>(null);
  const [version, setVersion] = useState(0);
  const waiting = state === "waiting";
  const known = state !== null;
  useEffect(() => {
    const request = sessionRequest(state, id);
    if (!request) return undefined;
    const stop = new AbortController();
    const answer = request.newest
      ? fetchJson<{ sessions: Session[] }>(request.path, { limit: 1, laps: true }, { signal: stop.signal }).then((page) => page.sessions[0] ?? null)
      : fetchJson<Session>(request.path, {}, { signal: stop.signal });
    // Ignore errors: live data can be ahead of the store. An event follows once the session is stored.
    answer.then(setSession, () => {});
    return () => stop.abort();
  }, [id, waiting, known, version]);
  useEffect(() => feed.onEvent((event) => {
    if (LAP_EVENTS.has(event.kind)) {
      const lap = event.data as unknown as Lap;
      setSession((old) => (old && old.id === lap.session ? { ...old, laps: merge(old.laps ?? [], lap) } : old));
    }
    // The bests and deltas of all laps may have changed.
    if (/^(lap_final|lap_amended|lap_edited|session_|reset)/.test(event.kind)) setVersion((n) => n + 1);
  }), []);
  // Until the response arrives, the previous session belongs to another car.
  const session = waiting || found?.id === id ? found : null;
  return useMemo(() => {
    const laps = (session?.laps ?? []).filter((lap) => !lap.deleted_utc);
    return { session, laps, bestMs: least(countingTimes(laps)), bestSectors: bestSectors(laps) };
  }, [session]);
}

export function merge(laps: readonly Lap[], lap: Lap): Lap[] {
  const others = laps.filter((old) => old.id !== lap.id);
  return [...others, lap].sort((a, b) => a.tape_lap - b.tape_lap);
}

export function LiveLaps({ running }: { running: Running }) {
  const { laps, bestMs } = running;
  const shown = [...laps].reverse().filter((lap) => lap.state !== "running");
  return (
    <section class="panel live-laps" aria-label="Laps of this session">
      <header><span class="label">Laps</span>{running.session && <a href={`/sessions/${running.session.id}`}>Session</a>}</header>
      {shown.length === 0 ? <p class="soft none">Completed laps appear here.</p> : (
        <div class="scroll" tabIndex={0} role="region" aria-label="List of laps">
          <table>
            <thead><tr><th>Lap</th><th>Time</th><th>Delta</th><th class="wide">Sectors</th></tr></thead>
            <tbody>
              {shown.map((lap) => {
                const best = lap.time_ms != null && lap.time_ms === bestMs && lap.eligible && !lap.excluded;
                const off = lap.time_ms != null && bestMs !== null ? lap.time_ms - bestMs : null;
                return (
                  <tr key={lap.id} data-lap={lap.id}>
                    <td class="num">{lap.number ?? "–"}</td>
                    <td class={`num ${timeTone(lap, best)}`}>{lapTime(lap.time_ms)}</td>
                    <td class={`num ${best ? "purple" : lap.eligible ? deltaClass(off) : "soft"}`}>{best ? "best" : delta(off)}</td>
                    <td class="wide num small">
                      {lap.sectors_ms.map((time, n) => {
                        const top = time !== null && time === running.bestSectors[n];
                        return <span key={n} class={top ? "purple" : ""}>{top && <Star />}{sectorTime(time)}</span>;
                      })}
                      <Badges lap={lap} short />
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
