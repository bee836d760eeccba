// The live view: everything worth a glance while driving.

import { Empty } from "../../app/problem";
import { useCar } from "../../live/frame";
import { LiveMap, useOutline } from "../../map/live_map";
import { moment } from "../../words/format";
import { car, track } from "../../words/names";
import { LiveStandings } from "../standings";
import { Fuel, Tyres } from "./car_state";
import { LapClock } from "./clock";
import { Deltas, GearAndSpeed, Revs } from "./drive";
import { useFact } from "./figures";
import { InputTrace, Pedals, Steering } from "./inputs";
import { LiveLaps, type Running, useRunningSession } from "./laps";
import { Strip } from "./strip";

export function LivePage() {
  useCar();
  const running = useRunningSession();
  const state = useFact((f) => f?.state ?? null);
  const where = useFact((f) => ({ game: f?.car.game ?? null, track: f?.car.track ?? null, layout: f?.car.layout ?? null }));
  // The server learns a track from a complete lap: before that, do not request the outline.
  const whole = running.laps.filter((lap) => lap.complete).length;
  const before = useFact((f) => f?.car.best_ever_ms != null);
  const outline = useOutline(where.game, where.track, where.layout, before || whole > 0, Math.min(whole, 3));
  // Until the first message from the server, show no gauges: a page full of dashes looks broken.
  if (state === null) return <p class="loading connecting" role="status" data-state="none">Connecting…</p>;
  if (state === "waiting") return <Waiting running={running} />;
  return (
    <>
      <div class="live" data-state={state ?? "none"}>
        <Strip session={running.session} />
        <Revs />
        <GearAndSpeed />
        <LapClock bests={{ sectors: running.bestSectors }} />
        <Deltas />
        <section class="panel map-panel" aria-label="Track map"><LiveMap outline={outline} fresh={`${where.game}/${where.track}/${where.layout}`} /></section>
        <section class="panel inputs" aria-label="Pedals and steering"><Pedals /><InputTrace /><Steering /></section>
        <Fuel />
        <Tyres />
        <LiveLaps running={running} />
      </div>
      <LiveStandings session={running.session?.id ?? null} />
    </>
  );
}

function Waiting({ running }: { running: Running }) {
  const { session } = running;
  return (
    <div class="waiting">
      <Empty title="Waiting for a game">
        <p role="status" data-state="waiting">Start a game and live data appears here. To try it without a game, run <code>gametape demo</code>.</p>
      </Empty>
      {session && (
        <div class="last-session">
          <p><span class="label">Last session</span> <a href={`/sessions/${session.id}`}>{track(session)} · {car(session)}</a> <span class="soft">{moment(session.started_utc)}</span></p>
          <LiveLaps running={running} />
          <LiveStandings session={session.id} />
        </div>
      )}
    </div>
  );
}
