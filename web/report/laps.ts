// Compares the laps of a report as the server's `/compare` endpoint does: turns the stored columns into a comparison for plots, map and corners.

import type { Column, Comparison } from "../src/pages/compare/comparison";
import { POSITION_CHANNELS, indexAt } from "../src/pages/compare/comparison";
import type { Values } from "../src/plots/trace";
import type { Lap } from "../src/api/client";
import { type LapLines, type Report, values } from "./data";

/** A lap with its stored columns and the report that it is from. */
export interface Kept { lap: Lap; lines: LapLines; report: Report }

export function keptLaps(report: Report): Map<string, Kept> {
  const lines = new Map(report.lines.laps.map((one) => [one.tape_lap, one]));
  const laps = report.sessions.flatMap((session) => session.laps);
  return new Map(laps.flatMap((lap) => { const own = lines.get(lap.tape_lap); return own ? [[lap.id, { lap, lines: own, report }]] : []; }));
}

/** Names of a track in two games differ, but not its length: `gametape compare` has the same limit. */
const SAME_LENGTH = 0.03;

/** Laps of one report are comparable if they are on the same track; laps of two reports if the lengths of the laps agree. */
export function comparable(a: Kept, b: Kept): boolean {
  if (a.report === b.report) return a.lines.length_m === b.lines.length_m && a.lines.step_m === b.lines.step_m;
  return Math.abs(a.lines.length_m - b.lines.length_m) <= SAME_LENGTH * Math.max(a.lines.length_m, b.lines.length_m);
}

/** Returns the values of one lap's rows at the rows of another: at the same fraction of the lap, interpolated if `smooth`. */
export function fitted(own: readonly number[], values: Values, rows: readonly number[], smooth: boolean): Values {
  const [length, wanted] = [own[own.length - 1] ?? 0, rows[rows.length - 1] ?? 0];
  if (length <= 0 || wanted <= 0) return rows.map(() => null);
  let n = 0;
  return rows.map((metres) => {
    const at = (metres / wanted) * length;
    while (n < own.length - 2 && (own[n + 1] as number) <= at) n += 1;
    const [from, to] = [own[n] as number, own[n + 1] ?? length];
    const [a, b] = [values[n] ?? null, values[n + 1] ?? null];
    const t = to > from ? Math.min(1, Math.max(0, (at - from) / (to - from))) : 0;
    if (t === 0) return a;
    if (t === 1) return b;
    if (a === null || b === null) return null;
    return smooth ? a + (b - a) * t : t < 0.5 ? a : b;
  });
}

const plain = (found: Float64Array): Values => Array.from(found, (value) => (Number.isNaN(value) ? null : value));

/** Returns the distance of each row in metres: the sampled distances, and between two of them a row for the extreme value there. */
export function rows(lines: LapLines): number[] {
  const places = lines.time_ms.count;
  const at = (n: number) => Math.min(n * lines.step_m, lines.length_m);
  return Array.from({ length: 2 * places - 1 }, (_, row) => (row % 2 ? (at((row - 1) / 2) + at((row + 1) / 2)) / 2 : at(row / 2)));
}

/** Returns the time of each row. Rows between two samples get the mean of both. */
export function timesOfRows(times: Values): Values {
  return times.flatMap((time, n) => {
    const next = times[n + 1];
    const middle = time == null || next == null ? null : (time + next) / 2;
    return n === times.length - 1 ? [time] : [time, middle];
  });
}

const isStep = (name: string, report: Report): boolean => !(report.lines.channels.find((channel) => channel.name === name)?.smooth ?? true);

/** Compares laps. Includes the given channels and those that the map and the corners need. The first lap is the reference. */
export async function compared(laps: readonly Kept[], channels: readonly string[], units: Map<string, string>): Promise<Comparison | null> {
  const [reference] = laps;
  if (!reference) return null;
  const distance = rows(reference.lines);
  // Laps of another tape may be sampled at other distances.
  const fit = ({ lines }: Kept, own: Values, smooth: boolean) =>
    lines.length_m === reference.lines.length_m && lines.step_m === reference.lines.step_m ? own : fitted(rows(lines), own, distance, smooth);
  const times = await Promise.all(laps.map(async (kept) => fit(kept, timesOfRows(plain(await values(kept.lines.time_ms))), true)));
  const wanted = new Set([...channels, ...POSITION_CHANNELS, "speed_kmh"]);
  const found = await Promise.all(laps.map(async (kept, n) => {
    const { lap, lines } = kept;
    const columns = await Promise.all(Object.entries(lines.channels).filter(([name]) => wanted.has(name)).map(async ([name, packed]): Promise<Column> => (
      { name, unit: units.get(name) ?? "", values: fit(kept, plain(await values(packed)), !isStep(name, kept.report)) })));
    const delta = (times[n] as Values).map((time, row) => { const before = times[0]?.[row]; return time == null || before == null ? null : time - before; });
    return { lap, columns, delta_ms: delta };
  }));
  const corners = reference.lines.corners.map(([from_m, apex_m, to_m], n) => {
    const [from, to] = [indexAt(distance, from_m) ?? 0, indexAt(distance, to_m) ?? 0];
    const lowest = (speeds: Values | undefined) => { const known = (speeds ?? []).slice(from, to + 1).filter((speed): speed is number => speed !== null); return known.length ? Math.min(...known) : null; };
    return {
      n: n + 1, from_m, apex_m, to_m,
      min_speed_kmh: found.map((lap) => lowest(lap.columns.find((one) => one.name === "speed_kmh")?.values)),
      lost_ms: found.map(({ delta_ms }) => { const [a, b] = [delta_ms[from], delta_ms[to]]; return a == null || b == null ? null : b - a; }),
    };
  });
  return { corners, distance_m: distance, laps: found, length_m: reference.lines.length_m, reference: reference.lap.id, stretches: [] };
}

/** A lap's time range on the tape in seconds, and the milliseconds since the start line at each sampled distance. */
export interface TimedLap { from: number; to: number; step_m: number; length_m: number; times: Float64Array }

export async function timedLaps(report: Report): Promise<TimedLap[]> {
  return Promise.all([...keptLaps(report).values()].map(async ({ lap, lines }) => (
    { from: lap.start_ns / 1e9, to: (lap.end_ns ?? lap.start_ns) / 1e9, step_m: lines.step_m, length_m: lines.length_m, times: await values(lines.time_ms) })));
}

/** Returns the lap fraction (0 to 1) at a time on the tape, or null between laps. */
export function shareAt(laps: readonly TimedLap[], seconds: number): number | null {
  const lap = laps.find((one) => one.from <= seconds && seconds < one.to);
  if (!lap) return null;
  const ms = (seconds - lap.from) * 1000;
  // Unobserved distances have the time NaN, which rules out a binary search.
  let before: number | null = null;
  for (let n = 0; n < lap.times.length; n += 1) {
    const time = lap.times[n] as number;
    if (Number.isNaN(time)) continue;
    if (time >= ms) {
      const last = before === null ? null : (lap.times[before] as number);
      const sample = before === null || last === null || time === last ? n : before + ((ms - last) / (time - last)) * (n - before);
      return Math.min(1, (sample * lap.step_m) / lap.length_m);
    }
    before = n;
  }
  return before === null ? null : Math.min(1, (before * lap.step_m) / lap.length_m);
}
