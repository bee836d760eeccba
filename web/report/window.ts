// Downsamples a time range of the tape for plots: the minimum and the maximum of each piece, in the order in which they occurred.
// Spikes stay visible at every zoom level.

import type { Values } from "../src/plots/trace";
import type { TimeLines } from "./data";

/** The time axis of the stored data: its start, the length of a stretch in seconds, and the number of stretches. */
export interface Span { from: number; stretch: number; stretches: number }

export const spanOf = ({ from_ns, stretch_ns, stretches }: Pick<TimeLines, "from_ns" | "stretch_ns" | "stretches">): Span =>
  ({ from: from_ns / 1e9, stretch: stretch_ns / 1e9, stretches });

/** A range of stretches, grouped into `pieces` of `size` stretches each. `x` has two times for each piece, in seconds. */
export interface Window { x: number[]; first: number; pieces: number; size: number }

export const MOST_PIECES = 1000;

export function windowOf(span: Span, from: number, to: number): Window {
  const index = (time: number) => Math.min(span.stretches, Math.max(0, (time - span.from) / span.stretch));
  // One more stretch on each side, so that lines reach the edge.
  const start = Math.max(0, Math.floor(index(from)) - 1);
  const end = Math.min(span.stretches, Math.ceil(index(to)) + 1);
  const size = Math.max(1, Math.ceil((end - start) / MOST_PIECES));
  // Align pieces to multiples of their size, so that the plot does not flicker while panning.
  const first = Math.floor(start / size);
  const pieces = Math.max(1, Math.ceil(end / size) - first);
  const x: number[] = [];
  for (let n = 0; n < pieces; n += 1) for (const part of [0.25, 0.75]) x.push(span.from + (first + n + part) * size * span.stretch);
  return { x, first, pieces, size };
}

/** Returns the values of a channel at the points of a window. */
export function pointsOf(values: Float64Array, shift: number, of: Window): Values {
  const found: Values = [];
  const own = 2 ** shift;
  const known = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value);
  for (let n = 0; n < of.pieces; n += 1) {
    const start = (of.first + n) * of.size;
    if (of.size < own) {
      // The channel's stretch is longer than a piece: its first value covers the first half, its second value the second half.
      for (const part of [0.25, 0.75]) {
        const position = (start + part * of.size) / own;
        const stretch = Math.floor(position);
        found.push(known(values[2 * stretch + (position - stretch < 0.5 ? 0 : 1)]));
      }
      continue;
    }
    let [low, high, lowAt, highAt] = [Number.NaN, Number.NaN, 0, 0];
    const end = Math.min(values.length, 2 * Math.max(1, Math.ceil((start + of.size) / own)));
    for (let at = 2 * Math.floor(start / own); at < end; at += 1) {
      const value = values[at] as number;
      if (Number.isNaN(value)) continue;
      if (!(value >= low)) [low, lowAt] = [value, at];
      if (!(value <= high)) [high, highAt] = [value, at];
    }
    found.push(...(highAt < lowAt ? [known(high), known(low)] : [known(low), known(high)]));
  }
  return found;
}

/** Returns the value at a time in seconds, or null if unknown. */
export function valueAt(values: Float64Array | undefined, shift: number, span: Span, time: number): number | null {
  const position = (time - span.from) / span.stretch / 2 ** shift;
  const stretch = Math.floor(position);
  const value = values?.[2 * stretch + (position - stretch < 0.5 ? 0 : 1)];
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** Formats a time since the start of the tape, such as `1:02.5` or `1:02:03`. */
export function tapeTime(seconds: number, digits = 0): string {
  const unit = 10 ** digits;
  const all = Math.round(Math.max(0, seconds) * unit);
  const whole = Math.floor(all / unit);
  const two = (n: number) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const tail = digits ? `.${String(all % unit).padStart(digits, "0")}` : "";
  return `${h ? `${h}:${two(m)}` : m}:${two(s)}${tail}`;
}
