// A chart of lap times in order, by stint. Slow laps (in, out, spoiled) are clamped to the upper edge, so that they do not flatten the others.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Lap } from "../../api/client";
import { countingTimes, least, median, paceTimes } from "../../numbers/stats";
import { lapTime } from "../../words/format";

const [H, LEFT, TOP, BOTTOM] = [230, 70, 14, 26];
/** The minimum width of a lap, as a touch target. If the laps do not fit, the chart scrolls. */
const LEAST_PX = 14;

export function LapChart({ laps, selected, onToggle }: { laps: readonly Lap[]; selected: readonly string[]; onToggle: (id: string) => void }) {
  const container = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(900);
  useEffect(() => {
    const element = container.current;
    if (!element) return undefined;
    const resize = new ResizeObserver(() => setRoom(element.clientWidth));
    resize.observe(element);
    return () => resize.disconnect();
  }, []);
  const timed = laps.filter((lap) => lap.time_ms != null);
  const counting = countingTimes(timed);
  const all = timed.map((lap) => lap.time_ms as number);
  const best = least(counting) ?? least(all);
  if (best === null || timed.length < 2) return <div ref={container} />;
  const W = Math.max(room, LEFT + timed.length * LEAST_PX);
  const pace = paceTimes(counting.length > 1 ? counting : all);
  const high = Math.max(...pace, best * 1.004);
  const range = (high - best) * 1.15;
  const x = (n: number) => LEFT + 14 + (n / Math.max(1, timed.length - 1)) * (W - LEFT - 32);
  const y = (time: number) => H - BOTTOM - 8 - Math.min(1, (time - best) / range) * (H - TOP - BOTTOM - 16);
  const mid = median(pace);
  const stints = bands(timed);
  const levels = ticks(best, best + range);
  const every = Math.max(1, Math.ceil((timed.length * 26) / (W - LEFT)));
  return (
    <div ref={container} class="scroll-x"><svg class="lap-chart" width={W} height={H} role="img" aria-label={`Lap times, best ${lapTime(best)}`}>
      {stints.map((band, n) => (
        <g key={n}>
          {n % 2 === 1 && <rect x={x(band.from) - 10} y={TOP} width={x(band.to) - x(band.from) + 20} height={H - TOP - BOTTOM} class="band" />}
          {stints.length > 1 && <text x={x(band.from) - 4} y={TOP + 2} class="tick-text">stint {band.stint ?? "–"}</text>}
        </g>
      ))}
      {levels.map((level) => (
        <g key={level}><path d={`M${LEFT} ${y(level)}H${W}`} class="grid-line" /><text x={LEFT - 8} y={y(level) + 4} text-anchor="end" class="tick-text num">{lapTime(level, range < 1500 ? 2 : 1)}</text></g>
      ))}
      {mid !== null && <path d={`M${LEFT} ${y(mid)}H${W}`} class="median-line" />}
      <path class="lap-line" d={timed.map((lap, n) => `${n ? "L" : "M"}${x(n)} ${y(lap.time_ms as number)}`).join("")} />
      {timed.map((lap, n) => {
        const time = lap.time_ms as number;
        const kind = time === best && lap.eligible ? "best" : lap.valid === false ? "bad" : lap.eligible && !lap.excluded ? "good" : "pale";
        return (
          <g key={lap.id} transform={`translate(${x(n)} ${y(time)})`} class={`lap-dot ${kind} ${selected.includes(lap.id) ? "on" : ""}`} onClick={() => onToggle(lap.id)}>
            <title>{`Lap ${lap.number ?? "–"}: ${lapTime(time)}${lap.valid === false ? ", invalid" : ""}`}</title>
            <circle r="11" class="target" />
            {kind === "bad" ? <path d="M-5 -5L5 5M5 -5L-5 5" /> : <circle r={kind === "best" ? 6.5 : 5} />}
          </g>
        );
      })}
      {timed.map((lap, n) => n % every === 0 && <text key={lap.id} x={x(n)} y={H - 6} text-anchor="middle" class="tick-text num">{lap.number ?? "–"}</text>)}
    </svg></div>
  );
}

function bands(laps: readonly Lap[]): { stint: number | null; from: number; to: number }[] {
  const found: { stint: number | null; from: number; to: number }[] = [];
  laps.forEach((lap, n) => {
    const last = found[found.length - 1];
    if (last && last.stint === (lap.stint ?? null)) last.to = n;
    else found.push({ stint: lap.stint ?? null, from: n, to: n });
  });
  return found;
}

function ticks(low: number, high: number): number[] {
  const step = [20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000].find((step) => (high - low) / step <= 5) ?? 120_000;
  const first = Math.ceil(low / step) * step;
  return Array.from({ length: Math.max(0, Math.floor((high - first) / step) + 1) }, (_, n) => first + n * step);
}
