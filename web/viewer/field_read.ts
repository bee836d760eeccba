// Reads the positions of a match from a tape, in the worker: Rocket League from the channels of its streams, Echo VR from the responses of the game.

import { type Field, Gathered, MOST_THINGS, type Thing, held, stepsOf } from "./field";
import type { Library } from "./library";
import type { Described } from "./stages";

export const hasField = (game: string | null, streams: readonly string[]): boolean =>
  (game === "rocket-league" && streams.includes("ball")) || (game === "echo-vr" && streams.includes("session"));

export function readField(library: Library, game: string, onPart: (part: number) => void): Field | null {
  const of = JSON.parse(library.describe()) as Described;
  return game === "echo-vr" ? echo(library, of, onPart) : rocketLeague(library, of, onPart);
}

/** Positions are in centimetres, y along the field. */
const CENTIMETRE = 0.01;

function rocketLeague(library: Library, of: Described, onPart: (part: number) => void): Field | null {
  const streams = of.streams.filter(({ name, first_ns }) => /^(ball|car)(-\d+)?$/.test(name) && first_ns !== null).slice(0, MOST_THINGS);
  if (streams.length === 0) return null;
  const from_s = Math.min(...streams.map(({ first_ns }) => first_ns as number)) / 1e9;
  const count = stepsOf(from_s, Math.max(...streams.map(({ last_ns }) => last_ns ?? 0)) / 1e9);
  const players = playersOf(of.metadata.match);
  const things = streams.flatMap((stream, n): Thing[] => {
    onPart(n / streams.length);
    const [across, along] = positions(library, stream);
    if (!along || !across) return [];
    const isBall = stream.name.startsWith("ball");
    const player = players.find((one) => one.stream === stream.name);
    return [{
      name: isBall ? (stream.name === "ball" ? "Ball" : stream.name) : player?.name || stream.name, kind: isBall ? "ball" : "player", team: player?.team ?? null,
      along: held(along.times_s, along.values, from_s, count, CENTIMETRE), across: held(across.times_s, across.values, from_s, count, CENTIMETRE),
    }];
  });
  return things.length > 0 ? { from_s, step_s: 0.1, count, things } : null;
}

/** The channels x and y: elements of one array, or two channels. */
function positions(library: Library, { name, channels }: Described["streams"][number]) {
  const array = channels.find((channel) => /^position/i.test(channel.name) && channel.count >= 2);
  if (array) return [0, 1].map((element) => library.channel(name, array.name, element));
  return ["x", "y"].map((axis) => {
    const channel = channels.find((one) => one.count === 1 && new RegExp(`^(position_?)?${axis}(_cm)?$`, "i").test(one.name));
    return channel ? library.channel(name, channel.name, 0) : null;
  });
}

interface MatchPlayer { name: string | null; team: number | null; stream: string | null }

function playersOf(match: string | undefined): MatchPlayer[] {
  try {
    const { players } = JSON.parse(match ?? "{}") as { players?: MatchPlayer[] };
    return Array.isArray(players) ? players : [];
  } catch { return []; }
}

interface EchoResponse {
  disc?: { position?: number[] };
  teams?: { players?: { name?: string; head?: { position?: number[] } }[] }[];
}

/** Responses are text; ten a second are parsed. Positions are in metres, z along the arena, y up. */
function echo(library: Library, of: Described, onPart: (part: number) => void): Field | null {
  const stream = of.streams.find(({ name }) => name === "session");
  if (!stream || stream.first_ns === null || stream.last_ns === null) return null;
  const [from_s, to_s] = [stream.first_ns / 1e9, stream.last_ns / 1e9];
  const count = stepsOf(from_s, to_s);
  const gathered = new Gathered(from_s, count);
  const decoder = new TextDecoder();
  let next = from_s;
  library.frames("session", (time_s, bytes) => {
    if (time_s < next) return true;
    next = time_s + 0.095;
    onPart((time_s - from_s) / Math.max(1, to_s - from_s));
    let response: EchoResponse;
    // In menus the game sends other texts.
    try { response = JSON.parse(decoder.decode(bytes)) as EchoResponse; } catch { return true; }
    const disc = response.disc?.position;
    if (disc) gathered.put("ball", "Disc", null, time_s, disc[2], disc[0]);
    response.teams?.slice(0, 2).forEach((team, number) => team.players?.forEach((player) => {
      const head = player.head?.position;
      if (head && player.name) gathered.put("player", player.name, number, time_s, head[2], head[0]);
    }));
    return time_s - from_s < count * 0.1;
  });
  return gathered.finish();
}
