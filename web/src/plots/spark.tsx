// Sparklines of lap times: a session at a glance.

import type { Lap } from "../api/client";
import { least, quantile } from "../numbers/stats";
import { lapTime } from "../words/format";

/** Draws a dot for each timed flying lap; higher is slower. Laps that do not count are hollow. */
export function LapDots({ laps, width = 132, height = 30 }: { laps: readonly Lap[]; width?: number; height?: number }) {
  const timed = laps.filter((lap) => lap.time_ms && lap.phase === "flying");
  const times = timed.map((lap) => lap.time_ms as number);
  const [low, high] = [least(times), quantile(times, 0.9)];
  if (low === null || high === null || times.length < 2) return null;
  const range = Math.max(high - low, low * 0.004);
  const x = (n: number) => 5 + (n / Math.max(1, timed.length - 1)) * (width - 10);
  const y = (time: number) => height - 5 - Math.min(1, (time - low) / range) * (height - 10);
  const path = timed.map((lap, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${y(lap.time_ms as number).toFixed(1)}`).join("");
  return (
    <svg class="dots" width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img"
      aria-label={`${timed.length} laps, fastest ${lapTime(low)}`}>
      <path d={path} />
      {timed.map((lap, n) => {
        const best = lap.time_ms === low && lap.eligible;
        return <circle key={lap.id} cx={x(n)} cy={y(lap.time_ms as number)} r={best ? 3.4 : 2.2} class={best ? "best" : lap.eligible && !lap.excluded ? "" : "hollow"} />;
      })}
    </svg>
  );
}
