// One session of a report: summary, laps with sectors, stints.

import type { Lap } from "../src/api/client";
import { bestSectors, countingTimes, least, mean, median, paceTimes, spread } from "../src/numbers/stats";
import { Badges, Star, timeTone } from "../src/pages/lap_words";
import { LapChart } from "../src/pages/session/lap_chart";
import type { Range } from "../src/plots/trace";
import { delta, deltaClass, fixed, lapTime, sectorTime } from "../src/words/format";
import { word } from "../src/words/names";
import type { ReportSession } from "./data";

interface Props {
  session: ReportSession;
  kept: ReadonlyMap<string, unknown>;
  selected: readonly string[];
  onToggle: (id: string) => void;
  onTape: (range: Range) => void;
}

export function SessionPart({ session, ...rest }: Props) {
  const { laps, remark } = session;
  return (
    <>
      {laps.some((lap) => lap.time_ms != null) && <Summary session={session} />}
      {remark && <p class="soft">{remark}</p>}
      {laps.length === 0 && !remark && <p class="soft">No laps in this session. The traces below show the whole tape.</p>}
      {laps.filter((lap) => lap.time_ms != null).length > 7 && <section class="panel chart-panel"><LapChart laps={laps} selected={rest.selected} onToggle={(id) => rest.kept.has(id) && rest.onToggle(id)} /></section>}
      {laps.length > 0 && <Laps session={session} {...rest} />}
      {session.stints.length > 1 && <Stints session={session} />}
    </>
  );
}

const bestOf = (session: ReportSession): Lap | null => session.laps.find((lap) => lap.id === session.best_lap) ?? null;

function Summary({ session }: { session: ReportSession }) {
  const counting = countingTimes(session.laps);
  const pace = paceTimes(counting);
  const best = bestOf(session)?.time_ms ?? null;
  const [mid, apart, possible] = [median(pace), spread(pace), session.theoretical_best_ms];
  const fuel = mean(session.laps.flatMap((lap) => (lap.eligible && lap.fuel_used_l != null ? [lap.fuel_used_l] : [])));
  return (
    <dl class="summary">
      <div class="lead"><dt class="label">Best lap</dt><dd class="num purple">{lapTime(best)}</dd></div>
      <div><dt class="label">Theoretical best</dt><dd class="num">{lapTime(possible)}</dd><dd class="soft num">{possible !== null && best !== null ? delta(possible - best) : ""}</dd></div>
      <div><dt class="label">Median</dt><dd class="num">{lapTime(mid === null ? null : Math.round(mid))}</dd></div>
      <div><dt class="label">Spread</dt><dd class="num">{apart === null ? "–" : `${(apart / 1000).toFixed(2)} s`}</dd><dd class="soft">middle half of laps</dd></div>
      <div><dt class="label">Laps</dt><dd class="num">{session.laps.length}</dd><dd class="soft">{counting.length} counted</dd></div>
      {fuel !== null && <div><dt class="label">Fuel per lap</dt><dd class="num">{fixed(fuel, 2, "L")}</dd></div>}
    </dl>
  );
}

function Laps({ session, kept, selected, onToggle, onTape }: Props) {
  const { laps } = session;
  const best = bestOf(session);
  const sectors = Math.max(0, ...laps.map((lap) => lap.sectors_ms.length));
  const tops = bestSectors(laps);
  const fuel = laps.some((lap) => lap.fuel_used_l != null);
  const stints = session.stints.length > 1;
  const name = (lap: Lap) => lap.number ?? lap.tape_lap;
  return (
    <section aria-label="Laps">
      <div class="panel scroll-x report-laps" tabIndex={0} role="region" aria-label="Laps and sectors">
        <table class="laps">
          <thead>
            <tr><th><span class="hidden">Show</span></th><th class="num">Lap</th><th class="num">Time</th><th class="num">Delta</th>
              {Array.from({ length: sectors }, (_, n) => <th key={n} class="num">S{n + 1}</th>)}
              {stints && <th class="num">Stint</th>}{fuel && <th class="num">Fuel</th>}<th>Details</th><th><span class="hidden">Show on tape</span></th></tr>
          </thead>
          <tbody>
            {laps.map((lap) => {
              const isBest = lap === best;
              const off = lap.time_ms != null && best?.time_ms != null ? lap.time_ms - best.time_ms : null;
              return (
                <tr key={lap.id} data-lap={lap.tape_lap} class={selected.includes(lap.id) ? "on" : ""}>
                  <td><input type="checkbox" aria-label={`Show lap ${name(lap)}`} checked={selected.includes(lap.id)} disabled={!kept.has(lap.id)} onChange={() => onToggle(lap.id)} /></td>
                  <td class="num">{name(lap)}</td>
                  <td class={`num time ${timeTone(lap, isBest)}`}>{lapTime(lap.time_ms)}</td>
                  <td class={`num ${isBest ? "purple" : lap.eligible ? deltaClass(off) : "soft"}`}>{isBest ? "★ best" : delta(off)}</td>
                  {Array.from({ length: sectors }, (_, n) => {
                    const time = lap.sectors_ms[n] ?? null;
                    const top = lap.eligible && time !== null && time === tops[n];
                    return <td key={n} class={`num ${top ? "purple" : lap.eligible ? "" : "soft"}`}>{top && <Star />}{sectorTime(time)}</td>;
                  })}
                  {stints && <td class="num soft">{lap.stint ?? "–"}</td>}
                  {fuel && <td class="num soft">{fixed(lap.fuel_used_l, 2, "L")}</td>}
                  <td class="about"><Badges lap={lap} />{lap.valid === true && lap.eligible && <span class="soft">✓ valid</span>}{lap.reasons.length > 0 && <span class="soft reasons">{[...new Set(lap.reasons)].map(word).join(", ")}</span>}</td>
                  <td class="acts">{lap.end_ns != null && <button type="button" class="plain" aria-label={`Show lap ${name(lap)} on tape`} onClick={() => onTape({ from: lap.start_ns / 1e9, to: (lap.end_ns as number) / 1e9 })}>on tape</button>}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Stints({ session }: { session: ReportSession }) {
  return (
    <details class="stints">
      <summary>{session.stints.length} stints</summary>
      <div class="panel scroll-x" tabIndex={0} role="region" aria-label="Stints">
        <table>
          <thead><tr><th>Stint</th><th class="num">Laps</th><th class="num">Best</th><th class="num">Median</th><th class="num">Fuel</th><th>Start</th><th>End</th></tr></thead>
          <tbody>
            {session.stints.map((stint) => {
              const own = session.laps.filter((lap) => lap.stint === stint.n);
              const times = paceTimes(countingTimes(own));
              const mid = median(times);
              return (
                <tr key={stint.n}>
                  <td class="num">{stint.n}</td><td class="num">{own.length}</td><td class="num">{lapTime(least(times))}</td><td class="num">{lapTime(mid === null ? null : Math.round(mid))}</td>
                  <td class="num">{stint.fuel_start_l == null && stint.fuel_end_l == null ? "–" : `${fixed(stint.fuel_start_l, 1)} → ${fixed(stint.fuel_end_l, 1, "L")}`}</td>
                  <td>{word(stint.start_reason)}</td><td>{stint.end_reason ? word(stint.end_reason) : "running"}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}
