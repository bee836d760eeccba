// Lap statistics. Functions return null if there are not enough laps.

export function quantile(values: readonly number[], at: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const position = (sorted.length - 1) * at;
  const below = Math.floor(position);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (high - low) * (position - below);
}

export const median = (values: readonly number[]): number | null => quantile(values, 0.5);

export function least(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));
}

export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => a + b, 0) / values.length;
}

interface Timed {
  time_ms?: number | null;
  eligible: boolean;
  excluded: boolean;
  deleted_utc?: string | null;
}

/** Returns the times of laps that count: eligible, not excluded, not deleted. */
export function countingTimes(laps: readonly Timed[]): number[] {
  return laps.flatMap((lap) => (lap.eligible && !lap.excluded && !lap.deleted_utc && lap.time_ms ? [lap.time_ms] : []));
}

/**
 * Returns the interquartile range of lap times in milliseconds: the middle half of the laps lies within it. Robust to outliers, such as a lap
 * spoiled by traffic. Needs three laps.
 */
export function spread(times: readonly number[]): number | null {
  if (times.length < 3) return null;
  return (quantile(times, 0.75) as number) - (quantile(times, 0.25) as number);
}

/** Returns the times within 107 % of the best. Slower laps say nothing about pace. */
export function paceTimes(times: readonly number[]): number[] {
  const best = least(times);
  return best === null ? [] : times.filter((time) => time <= best * 1.07);
}

/** Returns the sum of the best sectors of laps that count, or null if a sector is missing. */
export function theoreticalBest(laps: readonly (Timed & { sectors_ms: readonly (number | null)[] })[]): number | null {
  const bests = bestSectors(laps);
  if (bests.length === 0 || bests.some((time) => time === null)) return null;
  return bests.reduce<number>((sum, time) => sum + (time ?? 0), 0);
}

export function bestSectors(laps: readonly (Timed & { sectors_ms: readonly (number | null)[] })[]): (number | null)[] {
  const good = laps.filter((lap) => lap.eligible && !lap.excluded && !lap.deleted_utc);
  const sectors = Math.max(0, ...good.map((lap) => lap.sectors_ms.length));
  return Array.from({ length: sectors }, (_, n) => least(good.flatMap((lap) => lap.sectors_ms[n] ?? [])));
}
