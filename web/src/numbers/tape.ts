// A tape over time: takes what the server says of a channel, gives points to draw; and ranges of time as the address has them.

import type { Schemas } from "../api/client";

export type TapeInside = Schemas["TapeInside"];
export type OverviewChannel = Schemas["OverviewChannel"];
export interface Span { from: number; to: number }

export interface Points { x: number[]; min: (number | null)[]; max: (number | null)[] }

/** Points in seconds. Stretches without a frame are left out; where they are longer than frames are apart, the line is broken. */
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

/** The place of the point that is nearest to a moment; null if there is none. */
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

/** 12.5-80 of the address, cut to what there is; the whole tape for anything else. */
export function spanOf(text: string | null, length: number): Span {
  const found = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text ?? "");
  const whole = { from: 0, to: length };
  if (!found) return whole;
  const [from, to] = [Number(found[1]), Math.min(Number(found[2]), length)];
  return from < to ? { from, to } : whole;
}

/** A range as the address has it; null for the whole tape. Never shorter than a tenth of a second. */
export function spanText(span: Span, length: number): string | null {
  const width = Math.max(0.1, span.to - span.from);
  const from = Math.max(0, Math.min(span.from, length - width));
  const to = Math.min(length, from + width);
  if (from <= 0.0005 && to >= length - 0.0005) return null;
  const digits = width < 2 ? 3 : width < 60 ? 2 : 1;
  const short = (seconds: number) => String(Number(seconds.toFixed(digits)));
  return `${short(from)}-${short(to)}`;
}

/** 1:02:03 or 2:03.4, by how much is shown. */
export function tapeTime(seconds: number, digits = 0): string {
  const unit = 10 ** digits;
  const parts = Math.round(Math.max(0, seconds) * unit);
  const whole = Math.floor(parts / unit);
  const two = (n: number) => String(n).padStart(2, "0");
  const [h, m, s] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const tail = digits > 0 ? `.${String(parts % unit).padStart(digits, "0")}` : "";
  return h > 0 ? `${h}:${two(m)}:${two(s)}${tail}` : `${m}:${two(s)}${tail}`;
}

/** How exact a moment is worth showing for a range. */
export const digitsFor = (span: Span): number => (span.to - span.from < 4 ? 2 : span.to - span.from < 60 ? 1 : 0);

/** Names of all channels of a tape that can be drawn. */
export function channelNames(tape: TapeInside): { name: string; unit: string }[] {
  return tape.streams.flatMap((stream) => stream.channels.filter((channel) => !/^char/.test(channel.type)).flatMap((channel) => {
    const name = `${stream.name}/${channel.name}`;
    const unit = channel.unit ?? "";
    if (channel.count <= 1) return [{ name, unit }];
    return Array.from({ length: Math.min(channel.count, 64) }, (_, n) => ({ name: `${name}.${n}`, unit }));
  }));
}
