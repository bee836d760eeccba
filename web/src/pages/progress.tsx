// Progress of a driver: best, median and spread per day for a car on a track, and the last seven days against earlier laps.

import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { type Best, type Lap, fetchPages } from "../api/client";
import { useFetch, useLoad } from "../api/use";
import { Empty, Shown } from "../app/problem";
import { setQuery, useRoute } from "../app/router";
import { colour } from "../app/theme";
import { type Mounted, usePlot } from "../plots/mount";
import { type Day, aroundDays, byDay, noons, sinceLastWeek } from "../numbers/progress";
import { delta, deltaClass, fixed, lapTime, plural } from "../words/format";
import { car, driver, game, track } from "../words/names";
import { Star } from "./lap_words";

/** The most laps to load: enough for years of driving. */
const MOST = 3000;

export function ProgressPage() {
  const { query } = useRoute();
  const bests = useFetch<{ bests: Best[] }>("/bests", { limit: 500 });
  return (
    <div class="page">
      <header class="page-head"><h1>Progress</h1></header>
      <Shown of={bests}>{(page) => {
        if (page.bests.length === 0) return <Empty title="No valid laps yet"><p>Complete a clean flying lap to start tracking your progress.</p></Empty>;
        const key = query.get("of");
        const sorted = [...page.bests].sort((a, b) => b.lap_count - a.lap_count);
        const chosen = sorted.find((one) => keyOf(one) === key) ?? sorted[0] as Best;
        return (
          <>
            <label class="pick"><span class="label">Track, car, driver</span>
              <select value={keyOf(chosen)} onChange={(event) => setQuery({ of: event.currentTarget.value }, "push")}>
                {sorted.map((one) => <option key={keyOf(one)} value={keyOf(one)}>{[track(one), car(one), one.driver && driver(one), game(one.game)].filter(Boolean).join(" · ")} ({plural(one.lap_count, "lap")})</option>)}
              </select>
            </label>
            <OneProgress key={keyOf(chosen)} of={chosen} />
          </>
        );
      }}</Shown>
    </div>
  );
}

const keyOf = (one: Best): string => [one.game, one.track, one.layout ?? "", one.car ?? "", one.driver ?? ""].join("~");

function OneProgress({ of }: { of: Best }) {
  const params = { game: of.game, track: of.track, layout: of.layout, car: of.car, driver: of.driver, phase: "flying" };
  const laps = useLoad<Lap[]>((signal) => fetchPages<Lap>("/laps", "laps", params, MOST, signal), JSON.stringify(params));
  return <Shown of={laps}>{(found) => <Details of={of} laps={found.filter((lap) => !lap.deleted_utc)} />}</Shown>;
}

function Details({ of, laps }: { of: Best; laps: Lap[] }) {
  const days = useMemo(() => byDay(laps), [laps]);
  const week = useMemo(() => sinceLastWeek(laps, new Date()), [laps]);
  const [first, last] = [days[0], days[days.length - 1]];
  const gained = first?.best != null ? of.time_ms - first.best : null;
  return (
    <>
      <dl class="summary">
        <div class="lead"><dt class="label">Best ever</dt><dd class="num purple">{lapTime(of.time_ms)}</dd></div>
        <div><dt class="label">Theoretical best</dt><dd class="num">{lapTime(of.theoretical_best_ms)}</dd></div>
        <div><dt class="label">Since first day</dt><dd class={`num ${deltaClass(gained)}`}>{days.length > 1 ? delta(gained) : "–"}</dd></div>
        <div><dt class="label">Latest day</dt><dd class="num">{lapTime(last?.best ?? null)}</dd><dd class="soft num">{last?.day}</dd></div>
        <div><dt class="label">Driven</dt><dd class="num">{plural(of.lap_count, "lap")}</dd><dd class="soft">on {plural(days.length, "day")}</dd></div>
      </dl>
      {days.length > 1
        ? <section class="panel chart-panel"><DayPlot height={300} days={days} /><p class="legend-line"><span class="key-best">best</span><span class="key-median">median</span><span class="key-spread">spread: middle half of laps</span></p></section>
        : <p class="panel note-panel soft">All laps are from one day. The chart appears on the second day.</p>}
      <div class="two">
        <section><h2>Last seven days</h2>
          {week.lapsNow === 0 || week.lapsBefore === 0
            ? <p class="panel note-panel soft">{week.lapsNow === 0 ? "No laps in the last seven days." : "No earlier laps to compare with."}</p>
            : <div class="panel scroll-x" tabIndex={0} role="region" aria-label="Changes"><table>
                <thead><tr><th /><th class="num">Before ({week.lapsBefore})</th><th class="num">Now ({week.lapsNow})</th><th class="num">Change</th></tr></thead>
                <tbody>{week.changes.map((change) => {
                  const off = change.before !== null && change.now !== null ? change.now - change.before : null;
                  const show = (value: number | null) => (change.name === "Spread" ? (value === null ? "–" : `${(value / 1000).toFixed(2)} s`) : lapTime(value === null ? null : Math.round(value)));
                  return <tr key={change.name}><td>{change.name}</td><td class="num soft">{show(change.before)}</td><td class="num">{show(change.now)}</td><td class={`num ${deltaClass(off)}`}>{delta(off)}</td></tr>;
                })}</tbody>
              </table></div>}
        </section>
        <section><h2>Days</h2>
          <div class="panel scroll-x" tabIndex={0} role="region" aria-label="Days"><table>
            <thead><tr><th>Day</th><th class="num">Laps</th><th class="num">Best</th><th class="num">Median</th><th class="num">Air / track</th><th>Conditions</th></tr></thead>
            <tbody>{[...days].reverse().map((one) => (
              <tr key={one.day}><td class="num">{one.day}</td><td class="num">{one.laps}</td><td class={`num ${one.best === of.time_ms ? "purple" : ""}`}>{one.best === of.time_ms && <Star />}{lapTime(one.best)}</td>
                <td class="num soft">{lapTime(one.median === null ? null : Math.round(one.median))}</td>
                <td class="num soft">{one.air === null && one.track === null ? "–" : `${fixed(one.air)} / ${fixed(one.track)} °C`}</td><td class="soft">{one.sky || "–"}</td></tr>
            ))}</tbody>
          </table></div>
        </section>
      </div>
    </>
  );
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Formats a day such as "5 Nov". */
function dayName(seconds: number): string {
  const at = new Date(seconds * 1000);
  return `${at.getDate()} ${MONTHS[at.getMonth()]}`;
}

interface DayPlotProps extends Mounted { days: Day[] }

function DayPlot(props: DayPlotProps) {
  const { container } = usePlot(props, DAYS, [props.days]);
  return <div ref={container} role="img" aria-label="Best, median and spread per day" />;
}

const DAYS = {
  data: ({ days }: DayPlotProps) => [days.map((one) => one.at), days.map((one) => one.low), days.map((one) => one.high), days.map((one) => one.median), days.map((one) => one.best)] as uPlot.AlignedData,
  options: (latest: { current: DayPlotProps }, width: number): uPlot.Options => {
    const axis = { stroke: colour("faint"), font: "12px system-ui, sans-serif", grid: { stroke: colour("edge"), width: 1 }, ticks: { show: false } };
    return {
      width, height: latest.current.height, legend: { show: false }, padding: [10, 16, 0, 0],
      scales: { x: { range: (_plot, min, max) => aroundDays(min, max) }, y: { range: (_plot, min, max) => [min - (max - min) * 0.08 - 50, max + (max - min) * 0.08 + 50] } },
      axes: [{ ...axis, splits: (plot, _axis, min, max) => noons(min, max, plot.width / 90), values: (_plot, ticks) => ticks.map(dayName) }, { ...axis, size: 74, values: (_plot, ticks) => ticks.map((tick) => lapTime(tick, 1)) }],
      cursor: { y: false, points: { size: 8 } },
      series: [
        {},
        { stroke: "transparent", points: { show: false } },
        { stroke: "transparent", points: { show: false } },
        { stroke: colour("soft"), width: 2, dash: [5, 4], points: { show: true, size: 6, fill: colour("panel") } },
        { stroke: colour("purple"), width: 2.5, points: { show: true, size: 8, fill: colour("purple") } },
      ],
      bands: [{ series: [2, 1], fill: `${colour("soft")}30` }],
    };
  },
};
