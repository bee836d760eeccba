// What the page shows before the report is there: the description of a tape as a report without sessions, and channels from the index. Pure.

import type { Report, TimeLines } from "../report/data";

/** The members of `gametape_describe` that are used here. */
export interface Described {
  created_utc: string | null;
  duration_ns: number | null;
  complete: boolean;
  game: string | null;
  metadata: Record<string, string>;
  streams: DescribedStream[];
  problems: { text: string }[];
}

export interface DescribedStream {
  name: string;
  role: string;
  frames: number;
  first_ns: number | null;
  last_ns: number | null;
  channels: { name: string; type: string; count: number; unit: string | null }[];
}

/** Number of intervals of the overview. With more of them, blocks of a tape of an hour would be decoded instead of looked up in the index. */
export const INTERVALS = 500;
/** Number of channels of the overview. */
const MOST_CHANNELS = 6;
/** Channels asked for at most: constant ones are left out. */
const MOST_ASKED = 24;
const MADE_BY = "the gametape viewer";

export function document(of: Described, events: { events: { kind: string; at_ns: number; text: string }[] }, file: string): Omit<Report, "lines"> {
  const told = (key: string) => of.metadata[key] ?? null;
  return {
    version: 1, made_by: MADE_BY, file, created_utc: of.created_utc, game: of.game, duration_ns: of.duration_ns, complete: of.complete,
    track: told("track"), car: told("car"), driver: told("driver"), note: told("note"), sessions: [], tracks: [],
    marks: events.events.filter((event) => event.kind === "mark").slice(0, 500).map(({ at_ns, text }) => ({ at_ns, text })),
  };
}

/** What people look at first, as games name it. */
const WANTED = [/^speed|speed.?kmh$|^velocity$/i, /^(gas|throttle|unfilteredthrottle)$/i, /^brake$|^unfilteredbrake$/i, /^gear$/i, /^steer|steerangle|steeringwheelangle/i, /^rpms?$|enginerpm/i];

interface Asked { stream: DescribedStream; name: string; unit: string; kind: string }

/** Returns the channels of the overview, the most interesting first. */
export function usual(streams: readonly DescribedStream[]): Asked[] {
  const all = streams.filter((stream) => stream.role === "data" && stream.frames > 1).flatMap((stream) => stream.channels
    .filter((channel) => channel.count === 1 && !/^char/.test(channel.type))
    .map((channel): Asked => ({ stream, name: channel.name, unit: channel.unit ?? "", kind: channel.type })));
  const first = WANTED.flatMap((pattern) => all.find(({ name }) => pattern.test(name)) ?? []);
  const rest = all.filter((one) => !first.includes(one) && /^f/.test(one.kind));
  return [...first, ...rest].slice(0, MOST_ASKED);
}

/** The extremes of a channel in intervals of equal length, whose starts are in seconds. They cover the frames of the stream, not all of the tape. */
export interface Extremes { starts_s: Float64Array; least: Float64Array; largest: Float64Array }

type Overview = (stream: string, channel: string, from_ns: number, to_ns: number, count: number) => Extremes | null;

/** Channels over the whole tape from its index. */
export function overviewLines(of: Described, overview: Overview): TimeLines {
  const streams = of.streams.filter((stream) => stream.role === "data" && stream.first_ns !== null);
  const from_ns = Math.min(...streams.map((stream) => stream.first_ns as number));
  const to_ns = Math.max(...streams.map((stream) => stream.last_ns ?? 0), of.duration_ns ?? 0);
  if (!(to_ns > from_ns)) return { from_ns: 0, stretch_ns: 1, stretches: 1, channels: [] };
  const stretch_ns = Math.ceil((to_ns - from_ns) / INTERVALS);
  const asked = usual(of.streams);
  const several = (name: string) => asked.filter((one) => one.name === name).length > 1;
  const channels: TimeLines["channels"] = [];
  for (const { stream, name, unit, kind } of asked) {
    if (channels.length === MOST_CHANNELS) break;
    const found = overview(stream.name, name, from_ns, from_ns + INTERVALS * stretch_ns, INTERVALS);
    const raw = found && pairs(found, from_ns / 1e9, stretch_ns / 1e9);
    if (!raw || !changes(raw)) continue;
    channels.push({ name: several(name) ? `${stream.name}/${name}` : name, unit, smooth: /^f/.test(kind), weight: "other", shift: 0, first: 0, step: 0, count: raw.length, width: 0, data: "", raw });
  }
  return { from_ns, stretch_ns, stretches: INTERVALS, channels };
}

/** Returns the least and the largest value of each interval of the page, one after the other. */
export function pairs({ starts_s, least, largest }: Extremes, from: number, stretch: number): Float64Array {
  const all = new Float64Array(2 * INTERVALS).fill(Number.NaN);
  const width = starts_s.length > 1 ? (starts_s[1] as number) - (starts_s[0] as number) : stretch;
  const at = (time: number) => Math.min(INTERVALS - 1, Math.max(0, Math.floor((time - from) / stretch)));
  starts_s.forEach((start, n) => {
    const [low, high] = [least[n] as number, largest[n] as number];
    if (Number.isNaN(low)) return;
    for (let own = at(start); own <= at(start + width * 0.999); own += 1) {
      const [known, most] = [all[2 * own] as number, all[2 * own + 1] as number];
      all[2 * own] = Number.isNaN(known) ? low : Math.min(known, low);
      all[2 * own + 1] = Number.isNaN(most) ? high : Math.max(most, high);
    }
  });
  return all;
}

function changes(values: Float64Array): boolean {
  const first = values.find((value) => !Number.isNaN(value));
  return first !== undefined && values.some((value) => !Number.isNaN(value) && value !== first);
}
