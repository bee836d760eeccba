// A tape over time: turns a channel overview from the server into plot points, and parses and formats time ranges in the URL.

import type { Schemas } from "../api/client";

export type TapeInside = Schemas["TapeInside"];
export type OverviewChannel = Schemas["OverviewChannel"];
export interface Span { from: number; to: number }

export interface Points { x: number[]; min: (number | null)[]; max: (number | null)[] }

/** Returns plot points, in seconds. Stretches without frames are skipped; a gap longer than six frame intervals and 2.5 stretches breaks the line. */
export function pointsOf(channel: OverviewChannel, rateHz: number | null): Points {
  const [from, step] = [channel.from_ns / 1e9, channel.step_ns / 1e9];
  const apart = Math.max(rateHz ? 6 / rateHz : 0, step * 2.5);
  const points: Points = { x: [], min: [], max: [] };
  let last: number | null = null;
  channel.max.forEach((max, n) => {
    const min = channel.min[n] ?? null;
    if (max === null || min === null) return;
    const at = from + (n + 0.5) * step;
    if (last !== null && at - last > apart) {
      points.x.push((at + last) / 2);
      points.min.push(null);
      points.max.push(null);
    }
    points.x.push(at);
    points.min.push(min);
    points.max.push(max);
    last = at;
  });
  return points;
}

/** Returns the index of the point nearest to a time, or null if there are no points. */
export function nearest(x: readonly number[], at: number): number | null {
  if (x.length === 0) return null;
  let [low, high] = [0, x.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] as number) < at) low = middle + 1;
    else high = middle;
  }
  const before = x[low - 1];
  return before !== undefined && at - before < Math.abs((x[low] as number) - at) ? low - 1 : low;
}

/** Parses a range such as `12.5-80` from the URL, clamped to the tape. Returns the whole tape if the text is not a range. */
export function spanOf(text: string | null, length: number): Span {
  const found = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? "");
  const whole = { from: 0, to: length };
  if (!found) return whole;
  const [from, to] = [Number(found[1]), Math.min(Number(found[2]), length)];
  return from < to ? { from, to } : whole;
}

/** Formats a range for the URL; null for the whole tape. Widens ranges shorter than 0.1 s. */
export function spanText(span: Span, length: number): string | null {
  const width = Math.max(0.1, span.to - span.from);
  const from = Math.max(0, Math.min(span.from, length - width));
  const to = Math.min(length, from + width);
  if (from <= 0.0005 && to >= length - 0.0005) return null;
  const digits = width < 2 ? 3 : width < 60 ? 2 : 1;
  const short = (seconds: number) => String(Number(seconds.toFixed(digits)));
  return `${short(from)}-${short(to)}`;
}

/** Formats a time on the tape, such as `1:02:03` or `2:03.4`. */
export function tapeTime(seconds: number, digits = 0): string {
  const unit = 10 ** digits;
  const parts = Math.round(Math.max(0, seconds) * unit);
  const whole = Math.floor(parts / unit);
  const two = (n: number) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const tail = digits > 0 ? `.${String(parts % unit).padStart(digits, "0")}` : "";
  return h > 0 ? `${h}:${two(m)}:${two(s)}${tail}` : `${m}:${two(s)}${tail}`;
}

/** Returns the number of decimals for times within a range. */
export const digitsFor = (span: Span): number => (span.to - span.from < 4 ? 2 : span.to - span.from < 60 ? 1 : 0);

/** Returns all channels of a tape that can be plotted: numbers, with one entry per array element (up to 64). */
export function channelNames(tape: TapeInside): { name: string; unit: string }[] {
  return tape.streams.flatMap((stream) => stream.channels.filter((channel) => !/^char/.test(channel.type)).flatMap((channel) => {
    const name = `${stream.name}/${channel.name}`;
    const unit = channel.unit ?? "";
    if (channel.count <= 1) return [{ name, unit }];
    return Array.from({ length: Math.min(channel.count, 64) }, (_, n) => ({ name: `${name}.${n}`, unit }));
  }));
}
