// The data embedded in a report: its types, and columns that are decoded on first use.
// numbers ◀── first + step · code ◀── running sum ◀── byte planes, low byte first ◀── deflate ◀── base64 (crates/analysis/src/report/pack.rs)

import type { Lap, Schemas } from "../src/api/client";

/** `raw` are values that were never packed. */
export interface Packed { first: number; step: number; count: number; width: number; data: string; raw?: Float64Array }

export interface TimeChannel extends Packed {
  name: string;
  unit: string;
  smooth: boolean;
  weight: "core" | "neutral" | "other";
  /** Each stretch of this channel is 2^shift stretches of the finest resolution long. */
  shift: number;
}

export interface LapLines {
  tape_lap: number;
  length_m: number;
  step_m: number;
  time_ms: Packed;
  channels: Record<string, Packed>;
  corners: [number, number, number][];
}

export interface ReportSession {
  id: string;
  game: string;
  type: string;
  track: string | null;
  layout: string | null;
  car: string | null;
  driver: string | null;
  started_utc: string | null;
  ended_utc: string | null;
  best_lap: string | null;
  theoretical_best_ms: number | null;
  remark: string | null;
  stints: Schemas["StintAnswer"][];
  laps: Lap[];
}

export interface TrackFacts { track: string; layout: string | null; length_m: number | null; sector_ends: (number | null)[]; outline_m: [number, number][] }

export interface Report {
  /** Tells tapes apart on a page that shows several. */
  key?: string;
  version: number;
  made_by: string;
  file: string;
  created_utc: string | null;
  game: string | null;
  duration_ns: number | null;
  complete: boolean;
  track: string | null;
  car: string | null;
  driver: string | null;
  note: string | null;
  sessions: ReportSession[];
  tracks: TrackFacts[];
  marks: { at_ns: number; text: string }[];
  lines: TimeLines & { laps: LapLines[] };
}

/** Channels over a part of the tape or all of it. */
export interface TimeLines { from_ns: number; stretch_ns: number; stretches: number; channels: TimeChannel[] }

/** Returns the channels that all games share, and channels of the tape by name, in a part of the tape: with every frame, or as finely as a whole tape. */
export type Detail = (names: string[], from_ns: number, to_ns: number) => Promise<TimeLines>;

const NO_OUTLINE: [number, number][] = [];

/** Returns the track map learned from the tape, or an empty list. */
export const outlineOf = (report: Report, on?: { track?: string | null; layout?: string | null } | null): [number, number][] =>
  report.tracks.find((one) => on && one.track === on.track && one.layout === (on.layout ?? null))?.outline_m ?? NO_OUTLINE;

/** Parses a report. Copies session fields to each lap, as the server's API does. `lines` replaces those of the text. */
export function readReport(text: string, lines?: Report["lines"]): Report {
  const report = JSON.parse(text) as Report;
  if (lines) report.lines = lines;
  for (const session of report.sessions) {
    const { game, track, layout, car, driver, id } = session;
    session.laps = session.laps.map((lap) => ({ ...lap, game, track, layout, car, driver: lap.driver ?? driver, session: id, excluded: false, tags: [] }));
  }
  return report;
}

const unpacked = new WeakMap<Packed, Promise<Float64Array>>();

/** Decodes a column. NaN means unknown. Results are cached. */
export function values(of: Packed): Promise<Float64Array> {
  let known = unpacked.get(of);
  if (!known) {
    known = unpack(of);
    unpacked.set(of, known);
  }
  return known;
}

async function unpack({ first, step, count, width, data, raw }: Packed): Promise<Float64Array> {
  if (raw) return raw;
  const packed = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const most = 2 ** (8 * width) - 1;
  const found = new Float64Array(count);
  let code = 0;
  for (let n = 0; n < count; n += 1) {
    let difference = 0;
    for (let plane = width - 1; plane >= 0; plane -= 1) difference = difference * 256 + (planes[plane * count + n] as number);
    code = (code + difference) % (most + 1);
    found[n] = code === most ? Number.NaN : first + step * code;
  }
  return found;
}
