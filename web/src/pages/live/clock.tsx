// The current lap: its time, its sectors against the best ones, the last lap and the best lap.

import { delta, deltaClass, lapTime, sectorTime } from "../../words/format";
import { phase } from "../../words/names";
import { Figure, useFact } from "./figures";

export interface Bests {
  /** The best time of each sector among the laps that count. */
  sectors: (number | null)[];
}

export function LapClock({ bests }: { bests: Bests }) {
  const lap = useFact((f) => {
    const lap = f?.car.lap;
    return { number: lap?.number ?? null, phase: lap?.phase ?? null, valid: lap?.valid ?? null, sector: lap?.sector ?? null, sectors: lap?.sectors_ms ?? [] };
  });
  const last = useFact((f) => f?.car.last_lap ?? null);
  const best = useFact((f) => f?.car.best_ms ?? null);
  const toBest = last?.time_ms != null && best != null ? last.time_ms - best : null;
  return (
    <section class="panel clock" aria-label="Lap">
      <p class="clock-head">
        <span class="label">Lap {lap.number ?? "–"}</span>
        {lap.phase && lap.phase !== "flying" && <span class="chip">{phase(lap.phase)}</span>}
        {lap.valid === false && <span class="chip invalid">✕ invalid</span>}
      </p>
      <Figure class="clock-time" of={(f) => lapTime(f.lapMs, 1)} label="lap time" />
      <Sectors times={lap.sectors} running={lap.sector} bests={bests.sectors} />
      <dl class="lasts">
        <div>
          <dt class="label">Last {last?.valid === false && <span class="chip invalid">✕ invalid</span>}</dt>
          <dd class="num">{lapTime(last?.time_ms)}</dd>
          <dd class={`num ${last?.eligible === false ? "soft" : toBest === 0 ? "purple" : deltaClass(toBest)}`}>
            {toBest === 0 ? "best" : delta(toBest)}
          </dd>
        </div>
        <div><dt class="label">Best</dt><dd class="num purple">{lapTime(best)}</dd></div>
        <div>
          <dt class="label">Predicted</dt>
          <dd><Figure of={(f) => (f.car.best_ms != null && f.car.delta_session_ms != null ? lapTime(f.car.best_ms + f.car.delta_session_ms, 2) : "–")} /></dd>
        </div>
      </dl>
    </section>
  );
}

export function Sectors({ times, running, bests }: { times: readonly (number | null)[]; running: number | null; bests: readonly (number | null)[] }) {
  const many = Math.max(times.length, bests.length);
  if (many === 0) return <p class="sectors-none soft">No sectors</p>;
  return (
    <ol class="sectors" aria-label="Sectors">
      {Array.from({ length: many }, (_, n) => {
        const [time, best] = [times[n] ?? null, bests[n] ?? null];
        const off = time !== null && best !== null ? time - best : null;
        const tone = off === null ? "" : off <= 0 ? "purple" : "slower";
        return (
          <li key={n} aria-current={running === n ? "step" : undefined} class={time !== null ? "done" : ""}>
            <span class="label">S{n + 1}</span>
            <span class="num">{sectorTime(time)}</span>
            <span class={`num small ${tone}`}>{time === null ? sectorTime(best) : delta(off)}</span>
          </li>
        );
      })}
    </ol>
  );
}
