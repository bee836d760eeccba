// Small statistics over laps. All of them give null when there is nothing to tell.

export function quantile(values: readonly number[], at: number): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * at;
  const below = Math.floor(place);
  const low = sorted[below] as number;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number;
  return low + (high - low) * (place - below);
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

/** Laps that may count, as times. */
export function countingTimes(laps: readonly Timed[]): number[] {
  return laps.flatMap((lap) => (lap.eligible && !lap.excluded && !lap.deleted_utc && lap.time_ms ? [lap.time_ms] : []));
}

/**
 * How far laps lie apart: half of them are within this many milliseconds of each other (the inner quarters). A lap that was spoiled
 * by traffic changes it little. Needs three laps.
 */
export function spread(times: readonly number[]): number | null {
  if (times.length < 3) return null;
  return (quantile(times, 0.75) as number) - (quantile(times, 0.25) as number);
}

/** Laps within 107 % of the best: the ones that tell about pace. */
export function paceTimes(times: readonly number[]): number[] {
  const best = least(times);
  return best === null ? [] : times.filter((time) => time <= best * 1.07);
}

/** The sum of the best sectors of laps that count; null if one is missing. */
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
