// Lap times over days: statistics of one car on one track, by day in the user's time zone.

import type { Lap } from "../api/client";
import { day } from "../words/format";
import { sky } from "../words/names";
import { bestSectors, countingTimes, least, mean, median, paceTimes, quantile } from "./stats";

export interface Day {
  day: string;
  /** Noon of that day, seconds since 1970, for a time axis. */
  at: number;
  best: number | null;
  median: number | null;
  low: number | null;
  high: number | null;
  laps: number;
  air: number | null;
  track: number | null;
  sky: string;
}

export function byDay(laps: readonly Lap[]): Day[] {
  const days = new Map<string, Lap[]>();
  for (const lap of laps) {
    const key = day(lap.started_utc);
    if (!lap.started_utc || key === "–") continue;
    days.set(key, [...(days.get(key) ?? []), lap]);
  }
  return [...days.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([key, own]) => {
    const times = paceTimes(countingTimes(own));
    if (times.length === 0) return [];
    const [y, m, d] = key.split("-").map(Number) as [number, number, number];
    return [{
      day: key, at: new Date(y, m - 1, d, 12).getTime() / 1000, best: least(times), median: median(times),
      low: quantile(times, 0.25), high: quantile(times, 0.75), laps: times.length,
      air: mean(own.flatMap((lap) => lap.conditions.air_celsius ?? [])), track: mean(own.flatMap((lap) => lap.conditions.track_celsius ?? [])),
      sky: sky(own),
    }];
  });
}

const DAY_S = 24 * 3600;

/** Returns at most `most` noons between two times in seconds since 1970: the ticks of a day axis. */
export function noons(from: number, to: number, most: number): number[] {
  const step = Math.max(1, Math.ceil((to - from) / DAY_S / Math.max(1, most)));
  const first = new Date(from * 1000);
  const found: number[] = [];
  // Calendar arithmetic: a day may have 23 or 25 hours.
  for (let n = 0; ; n += step) {
    const at = new Date(first.getFullYear(), first.getMonth(), first.getDate() + n, 12).getTime() / 1000;
    if (at > to) return found;
    if (at >= from) found.push(at);
  }
}

/** Returns the range of a day axis: half a day of padding at both ends. */
export const aroundDays = (from: number, to: number): [number, number] => [from - DAY_S / 2, to + DAY_S / 2];

export interface Change { name: string; before: number | null; now: number | null }

/** Compares the last seven days with all earlier laps. */
export function sinceLastWeek(laps: readonly Lap[], now: Date): { changes: Change[]; lapsNow: number; lapsBefore: number } {
  const start = now.getTime() - 7 * 24 * 3600 * 1000;
  const recent = laps.filter((lap) => lap.started_utc && Date.parse(lap.started_utc) >= start);
  const older = laps.filter((lap) => lap.started_utc && Date.parse(lap.started_utc) < start);
  const [a, b] = [paceTimes(countingTimes(older)), paceTimes(countingTimes(recent))];
  const spreadOf = (times: number[]) => (times.length < 3 ? null : (quantile(times, 0.75) as number) - (quantile(times, 0.25) as number));
  const sectors = (own: readonly Lap[]) => bestSectors(own);
  const [sa, sb] = [sectors(older), sectors(recent)];
  return {
    changes: [
      { name: "Best", before: least(a), now: least(b) },
      { name: "Median", before: median(a), now: median(b) },
      { name: "Spread", before: spreadOf(a), now: spreadOf(b) },
      ...Array.from({ length: Math.max(sa.length, sb.length) }, (_, n) => ({ name: `Best S${n + 1}`, before: sa[n] ?? null, now: sb[n] ?? null })),
    ],
    lapsNow: b.length, lapsBefore: a.length,
  };
}
