// One match from the server: its filters as request parameters, its words, its players in teams, and its events as positions on a time line.

import type { Match, MatchEvent, MatchPlayer, MatchTeam } from "../api/client";
import { UNKNOWN, count } from "../words/format";
import { game } from "../words/names";
import { tapeTime } from "./tape";

/** Filters of the list, by their names in the URL. */
export const FILTERS = ["game", "player", "map", "from", "until"] as const;
export type Filters = Partial<Record<(typeof FILTERS)[number], string | null>>;

/** The server refuses longer texts. */
const LONGEST_FILTER = 200;

/** Returns the texts of the filters without spaces around them; null if nothing remains. */
export function filterText(text: string | null | undefined): string | null {
  return text?.trim().slice(0, LONGEST_FILTER).trim() || null;
}

/** Returns what to call a match: its map, or its game if the map is unknown or only a checksum. */
export function title(match: Pick<Match, "game" | "map">): string {
  const name = mapName(match.map);
  return name === UNKNOWN || /^[0-9a-f]{32,64}$/i.test(name) ? game(match.game) : name;
}

/** Shortens a map that is a path in the game's files to the name of the file. */
export function mapName(map: string | null | undefined): string {
  const name = (map ?? "").split(/[/\\]/).filter(Boolean).pop() ?? "";
  return name.replace(/\.(w3[xmn]|sc2map|scx|scm)$/i, "").trim() || UNKNOWN;
}

/** Formats the length of a match as `5:53`. */
export function matchLength(ns: number | null | undefined): string {
  return ns == null ? UNKNOWN : tapeTime(ns / 1e9);
}

export interface Played {
  /** Start, or another time in the file. */
  label: "Started" | "Dated";
  /** Time with a known zone. */
  utc: string | null;
  /** Time without a zone, as in the file. */
  local: string | null;
}

/** Returns when a match was played, as far as its file says. */
export function played(match: Pick<Match, "started_utc" | "dated_utc" | "dated_local">): Played {
  const { started_utc: started, dated_utc: dated, dated_local: local } = match;
  if (started) return { label: "Started", utc: started, local: null };
  return { label: "Dated", utc: dated ?? null, local: dated ? null : local?.replace(/^(\d{4}-\d\d-\d\d \d\d:\d\d):\d\d$/, "$1") || null };
}

export const teamName = (team: Pick<MatchTeam, "name" | "number">): string => team.name || `Team ${team.number}`;

/** Returns the name of a player, or else the number. */
export const playerName = (player: Pick<MatchPlayer, "name" | "number">): string => player.name || (player.number == null ? UNKNOWN : `Player ${player.number}`);

const OUTCOMES: Record<string, string> = { win: "won", loss: "lost", draw: "draw" };

/** Returns the result of a team or a player in words. */
export const outcome = (result: string | null | undefined): string | null => (result ? OUTCOMES[result] ?? result : null);

/** Returns the result for the player who recorded the match, if that is known. */
export function ownOutcome(match: Pick<Match, "players">): string | null {
  return outcome(match.players.find((player) => player.is_recorder === true)?.result);
}

/** Returns the name of the team that won; null if that is unknown. */
export function winner(match: Pick<Match, "teams" | "winner_team">): string | null {
  const number = match.winner_team;
  if (number == null) return null;
  return teamName(match.teams.find((team) => team.number === number) ?? { number, name: null });
}

/** Returns the result in a few words: as the game writes it, or else who won. */
export function resultText(match: Pick<Match, "result" | "teams" | "winner_team">): string {
  const won = winner(match);
  return match.result || (won !== null ? `${won} won` : isDraw(match) ? "draw" : UNKNOWN);
}

/** Returns whether the game says of all teams that none has won. */
export const isDraw = (match: Pick<Match, "teams">): boolean => match.teams.length > 0 && match.teams.every((team) => team.result === "draw");

/** Returns the number of players; null if the file lists none. */
export function playerCount(match: Pick<Match, "players" | "players_left_out">): number | null {
  return match.players.length + match.players_left_out || null;
}

export interface Side {
  /** Null for players whose team is unknown. */
  team: MatchTeam | null;
  players: MatchPlayer[];
}

/** Returns the teams in their order, each with its players, then the players whose team is unknown. */
export function sides(match: Pick<Match, "teams" | "players">): Side[] {
  const found = new Map<number | null, Side>(match.teams.map((team) => [team.number, { team, players: [] }]));
  for (const player of match.players) {
    const number = player.team ?? null;
    const side = found.get(number) ?? { team: number === null ? null : { number, name: null, score: null, result: null }, players: [] };
    side.players.push(player);
    found.set(number, side);
  }
  const last = found.get(null);
  found.delete(null);
  return last ? [...found.values(), last] : [...found.values()];
}

/** Returns the names of the players, team against team, such as `A, B vs C, D`; empty if the file lists none. */
export function lineUp(match: Pick<Match, "teams" | "players" | "players_left_out">, most = 8): string {
  let left = most;
  const names = sides(match).map(({ players }) => {
    const listed = players.slice(0, left).map(playerName);
    left -= listed.length;
    return listed.join(", ");
  });
  const more = match.players_left_out + Math.max(0, match.players.length - most);
  return names.filter(Boolean).join(" vs ") + (more > 0 ? ` and ${count(more)} more` : "");
}

/** Returns the names of the counters that a player of the match has, most frequent ones first. */
export function counterNames(players: readonly Pick<MatchPlayer, "counters">[]): string[] {
  const times = new Map<string, number>();
  for (const player of players) for (const name of Object.keys(player.counters)) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times].sort(([a, many], [b, others]) => others - many || a.localeCompare(b)).map(([name]) => name);
}

export interface Mark {
  /** Position of the first event in the list of all events. */
  first: number;
  /** All events of the mark, in the order of their times. */
  events: MatchEvent[];
  /** Position on the line, from 0 to 1. */
  share: number;
}

export interface Lane {
  /** Kind of its events, or `OTHERS`. */
  kind: string;
  count: number;
  marks: Mark[];
}

export interface TimeLine {
  lanes: Lane[];
  /** Time at the right end: the length of the match or the last event, whichever is later. */
  end_ns: number;
}

/** Lanes of a time line. Rarer kinds share the last one. */
const MOST_LANES = 8;
export const OTHERS = "other events";

/**
 * Places events on a line, one lane for each kind, in the order of the first event of each kind. Events of a lane that are closer together than
 * `apart`, a share of the line, become one mark, so that marks do not overlap.
 */
export function timeLine(events: readonly MatchEvent[], lengthNs: number | null | undefined, apart: number): TimeLine {
  const end_ns = events.reduce((last, event) => Math.max(last, event.at_ns), Math.max(0, lengthNs ?? 0));
  const counts = new Map<string, number>();
  for (const event of events) counts.set(event.kind, (counts.get(event.kind) ?? 0) + 1);
  const kept = counts.size <= MOST_LANES
    ? new Set(counts.keys())
    : new Set([...counts].sort(([, a], [, b]) => b - a).slice(0, MOST_LANES - 1).map(([kind]) => kind));
  const lanes = new Map<string, Lane>([...counts.keys()].filter((kind) => kept.has(kind)).map((kind) => [kind, { kind, count: 0, marks: [] }]));
  if (kept.size < counts.size) lanes.set("", { kind: OTHERS, count: 0, marks: [] });
  events.forEach((event, n) => {
    const lane = lanes.get(kept.has(event.kind) ? event.kind : "") as Lane;
    const share = end_ns > 0 ? event.at_ns / end_ns : 0;
    const last = lane.marks[lane.marks.length - 1];
    lane.count += 1;
    if (last && share - last.share < apart) last.events.push(event);
    else lane.marks.push({ first: n, events: [event], share });
  });
  return { lanes: [...lanes.values()], end_ns };
}

/** Returns the decimals for times of a match that ends at this time. */
export const digitsOf = (endNs: number): number => (endNs < 10e9 ? 2 : endNs < 120e9 ? 1 : 0);

/** Describes a mark in words, such as `1:05, goal: 2:1` or `1:05 to 1:20, 4 × save`. */
export function markText(mark: Mark, kind: string, digits: number): string {
  const [first, last] = [mark.events[0], mark.events[mark.events.length - 1]];
  if (!first || !last) return "";
  const at = (event: MatchEvent) => tapeTime(event.at_ns / 1e9, digits);
  if (mark.events.length === 1) return `${at(first)}, ${kindName(first.kind)}${first.text ? `: ${first.text}` : ""}`;
  const times = at(first) === at(last) ? at(first) : `${at(first)} to ${at(last)}`;
  return `${times}, ${mark.events.length} × ${kindName(kind)}`;
}

export const kindName = (kind: string): string => kind.replaceAll("_", " ").trim() || "event";

/** Returns the mark that the keyboard reaches next, in the order of time over all lanes. */
export function nextMark(marks: readonly Mark[], from: number, key: string): number | null {
  const order = marks.map((_, n) => n).sort((a, b) => (marks[a] as Mark).first - (marks[b] as Mark).first);
  const at = order.indexOf(from);
  const to = key === "Home" ? 0 : key === "End" ? order.length - 1
    : key === "ArrowRight" || key === "ArrowDown" ? at + 1
    : key === "ArrowLeft" || key === "ArrowUp" ? at - 1 : null;
  return to === null ? null : order[Math.min(order.length - 1, Math.max(0, to))] ?? null;
}
