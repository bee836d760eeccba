// A comparison from the server, and pure functions that derive values from its columns.

import type { Schemas } from "../../api/client";
import { type Point, pointAt } from "../../map/outline";
import type { Values } from "../../plots/trace";

export type Column = Schemas["ColumnAnswer"];
export type ComparedLap = Schemas["ComparedAnswer"];
export type Corner = Schemas["CornerAnswer"];
export type Comparison = Schemas["CompareAnswer"];

export const STANDARD = ["speed_kmh", "throttle", "brake", "gear", "steering"];
/** The channels from which the map is drawn. Always requested. */
export const POSITION_CHANNELS = ["x_m", "z_m"];

export function column(of: ComparedLap, name: string): Column | null {
  return of.columns.find((one) => one.name === name) ?? null;
}

/** Returns whether any lap has world positions. */
export const hasPositions = (of: Comparison): boolean => of.laps.some((lap) => column(lap, "x_m")?.values.some((value) => value !== null));

/** Returns the driven line of each lap. Without positions, all laps follow the outline of the track, if it is known. */
export function drivenLines(of: Comparison, outline: readonly Point[]): Point[][] {
  const length = of.length_m ?? of.distance_m[of.distance_m.length - 1] ?? 0;
  const along = !hasPositions(of) && outline.length > 2 && length > 0 ? of.distance_m.map((metres): Point => pointAt(outline, metres / length) ?? [Number.NaN, Number.NaN]) : null;
  return of.laps.map((lap) => {
    const [x, z] = [column(lap, "x_m")?.values, column(lap, "z_m")?.values];
    return along ?? (x && z ? x.map((value, n): Point => [value ?? Number.NaN, z[n] ?? Number.NaN]) : []);
  });
}

const NAMES: Record<string, string> = {
  speed_kmh: "Speed", throttle: "Throttle", brake: "Brake", gear: "Gear", steering: "Steering", rpm: "Engine", clutch: "Clutch",
  lateral_g: "Lateral", longitudinal_g: "Longitudinal", fuel_l: "Fuel",
};
export const channelName = (name: string): string => NAMES[name] ?? name;

/** Returns whether a channel is a fraction that is shown in percent: the pedals. */
export const isShare = (name: string): boolean => name === "throttle" || name === "brake" || name === "clutch";

export function shown(name: string, values: Values): Values {
  return isShare(name) ? values.map((value) => (value === null ? null : value * 100)) : values;
}

export function unitOf(name: string, unit: string): string {
  if (isShare(name)) return "%";
  return unit === "1" ? "" : unit.replace("km_h", "km/h").replace("kmh", "km/h");
}

/** Returns the row nearest to a distance, or null if there are no rows. */
export function indexAt(distance: readonly number[], metres: number): number | null {
  if (distance.length === 0) return null;
  let [low, high] = [0, distance.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((distance[middle] as number) < metres) low = middle + 1;
    else high = middle;
  }
  const before = distance[Math.max(0, low - 1)] as number;
  return low > 0 && metres - before < (distance[low] as number) - metres ? low - 1 : low;
}

/** Returns the time lost in each piece of `rows` rows, relative to the largest loss or gain: −1 to 1. Colours the map. */
export function lossAlong(delta: Values, rows: number): { from: number; to: number; loss: number }[] {
  const pieces: { from: number; to: number; loss: number }[] = [];
  for (let from = 0; from < delta.length - 1; from += rows) {
    const to = Math.min(from + rows, delta.length - 1);
    const [a, b] = [delta[from], delta[to]];
    pieces.push({ from, to, loss: a == null || b == null ? 0 : b - a });
  }
  const most = Math.max(1, ...pieces.map((piece) => Math.abs(piece.loss)));
  return pieces.map((piece) => ({ ...piece, loss: piece.loss / most }));
}

/** Returns the corners where a lap loses most and gains most. Ignores differences of up to 5 ms. */
export function extremes(corners: readonly Corner[], lap: number, many = 3) {
  const known = corners.flatMap((corner) => { const lost = corner.lost_ms[lap]; return lost == null ? [] : [{ corner, lost }]; });
  const lost = known.filter((one) => one.lost > 5).sort((a, b) => b.lost - a.lost).slice(0, many);
  const gained = known.filter((one) => one.lost < -5).sort((a, b) => a.lost - b.lost).slice(0, many);
  return { lost, gained };
}

/** Parses a range such as `1200-1500` (metres) from the URL. Returns the whole lap if it is invalid or shorter than 10 m. */
export function rangeOf(text: string | null, length: number): { from: number; to: number } {
  const [from, to] = (text ?? "").split("-").map(Number);
  if (from === undefined || to === undefined || !Number.isFinite(from) || !Number.isFinite(to) || to - from < 10) return { from: 0, to: length };
  return { from: Math.max(0, from), to: Math.min(length, to) };
}
