import { describe, expect, it } from "vitest";
import type { Match, MatchEvent, MatchPlayer, MatchTeam } from "../api/client";
import {
  OTHERS, counterNames, digitsOf, filterText, kindName, lineUp, mapName, markText, matchLength, nextMark, outcome, ownOutcome, playerCount, playerName,
  played, resultText, sides, timeLine, title, winner,
} from "./match";

const player = (name: string | null, more: Partial<MatchPlayer> = {}): MatchPlayer => ({ name, counters: {}, ...more });
const team = (number: number, more: Partial<MatchTeam> = {}): MatchTeam => ({ number, ...more });
const match = (more: Partial<Match> = {}): Match => ({ tape: "0".repeat(32), game: "rocket-league", players: [], players_left_out: 0, teams: [], ...more });
const at = (seconds: number, kind: string, text = ""): MatchEvent => ({ at_ns: seconds * 1e9, kind, text });
const [A, B] = [player("Player 1", { team: 0 }), player("Player 2", { team: 1 })];

describe("filters", () => {
  it("are trimmed, cut to what the server takes, and absent when empty", () => {
    expect([filterText("  Player 1 "), filterText("   "), filterText(""), filterText(null), filterText(undefined)]).toEqual(["Player 1", null, null, null, null]);
    expect(filterText("x".repeat(300))).toHaveLength(200);
  });
});

describe("the facts of a match", () => {
  it("that are unknown are a dash or null, never 0", () => {
    const nothing = match();
    expect([matchLength(null), matchLength(undefined), mapName(null), mapName(""), playerName(player(null))]).toEqual(["–", "–", "–", "–", "–"]);
    expect([playerCount(nothing), winner(nothing), ownOutcome(nothing), outcome(null)]).toEqual([null, null, null, null]);
    expect(played(nothing)).toEqual({ label: "Dated", utc: null, local: null });
    expect(lineUp(nothing)).toBe("");
  });
  it("keep a known zero", () => {
    expect(matchLength(0)).toBe("0:00");
    expect(winner(match({ winner_team: 0, teams: [team(0, { name: "Blue" })] }))).toBe("Blue");
    expect(playerName(player(null, { number: 0 }))).toBe("Player 0");
  });
  it("have a length in minutes and seconds", () => {
    expect([matchLength(353e9), matchLength(47.391e9), matchLength(3_723e9)]).toEqual(["5:53", "0:47", "1:02:03"]);
  });
  it("are titled by the map without its folders, or by the game", () => {
    const named = (game: string, map: string | null) => title({ game, map });
    expect(named("rocket-league", "TrainStation_P")).toBe("TrainStation_P");
    expect(named("fortnite", "/Game/Athena/Maps/Athena_Terrain")).toBe("Athena_Terrain");
    expect(named("warcraft-3", "Maps\\(2)Temple.w3x")).toBe("(2)Temple");
    expect(named("osu", "0123456789abcdef0123456789abcdef")).toBe("osu!");
    expect([named("starcraft-2", null), named("some-new-game", "/")]).toEqual(["StarCraft II", "Some New Game"]);
  });
  it("say which time is known: the start, another time, or one without a zone", () => {
    const [started_utc, dated_utc, dated_local] = ["2026-03-01T12:00:00Z", "2026-03-01T13:00:00Z", "2018-05-17 17:40:12"];
    expect(played({ started_utc, dated_utc, dated_local })).toEqual({ label: "Started", utc: started_utc, local: null });
    expect(played({ dated_utc, dated_local })).toEqual({ label: "Dated", utc: dated_utc, local: null });
    expect(played({ dated_local })).toEqual({ label: "Dated", utc: null, local: "2018-05-17 17:40" });
    expect(played({ dated_local: "some day" }).local).toBe("some day");
  });
  it("name the winner by number if the team has no name, and the result of the recorder", () => {
    expect(winner(match({ winner_team: 200 }))).toBe("Team 200");
    expect(ownOutcome(match({ players: [player("Player 1", { result: "loss" }), player("Player 2", { is_recorder: true, result: "win" })] }))).toBe("won");
    expect([resultText(match({ result: "3:2", winner_team: 0 })), resultText(match({ winner_team: 200 })), resultText(match())]).toEqual(["3:2", "Team 200 won", "–"]);
    expect([resultText(match({ teams: [team(0, { result: "draw" }), team(1, { result: "draw" })] })), resultText(match({ teams: [team(0), team(1)] }))]).toEqual(["draw", "–"]);
    expect(["win", "loss", "draw", "forfeit"].map(outcome)).toEqual(["won", "lost", "draw", "forfeit"]);
  });
});

describe("players", () => {
  it("are in their teams, those without a team last", () => {
    const lost = player("Player 3");
    const found = sides(match({ teams: [team(0), team(1, { name: "Orange" })], players: [lost, B, A] }));
    expect(found.map((side) => [side.team?.name ?? side.team?.number ?? null, side.players.map(playerName)])).toEqual([[0, ["Player 1"]], ["Orange", ["Player 2"]], [null, ["Player 3"]]]);
  });
  it("of a team that is not listed get one, with nothing known of it", () => {
    expect(sides(match({ players: [player("Player 1", { team: 9 })] }))[0]?.team).toEqual({ number: 9, name: null, score: null, result: null });
    expect(sides(match({ teams: [team(0)] }))).toHaveLength(1);
  });
  it("are summed up team against team, with how many more there are", () => {
    expect(lineUp(match({ players: [B, A], teams: [team(0), team(1)] }))).toBe("Player 1 vs Player 2");
    expect(lineUp(match({ players: [A, B], teams: [team(0), team(1)], players_left_out: 3 }), 1)).toBe("Player 1 and 4 more");
    expect(playerCount(match({ players: [A], players_left_out: 3 }))).toBe(4);
  });
  it("have the columns of the counters that anybody has", () => {
    expect(counterNames([player("a", { counters: { kills: 1, deaths: 0 } }), player("b", { counters: { saves: 2, kills: 0 } })])).toEqual(["kills", "deaths", "saves"]);
    expect(counterNames([player("a")])).toEqual([]);
  });
});

describe("the time line", () => {
  const places = (events: MatchEvent[], length: number | null, apart = 0.03) => timeLine(events, length, apart).lanes.map((lane) => [lane.kind, lane.count, lane.marks.map((mark) => [mark.first, Math.round(mark.share * 1000) / 1000, mark.events.length])]);
  it("has a lane for each kind, and each event at its share of the length", () => {
    expect(places([at(0, "kickoff"), at(50, "goal"), at(75, "save"), at(100, "goal")], 200e9)).toEqual([
      ["kickoff", 1, [[0, 0, 1]]], ["goal", 2, [[1, 0.25, 1], [3, 0.5, 1]]], ["save", 1, [[2, 0.375, 1]]],
    ]);
  });
  it("ends with the last event if the length is unknown or shorter", () => {
    for (const length of [null, undefined, 0, 50e9]) {
      const { end_ns, lanes } = timeLine([at(50, "goal"), at(100, "goal")], length, 0.03);
      expect([end_ns, lanes[0]?.marks.map((mark) => mark.share)]).toEqual([100e9, [0.5, 1]]);
    }
  });
  it("has places for events at time 0 of an unknown length, and none without events", () => {
    expect(places([at(0, "round_start"), at(0, "round_start")], null)).toEqual([["round_start", 2, [[0, 0, 2]]]]);
    expect(timeLine([], 10e9, 0.03)).toEqual({ lanes: [], end_ns: 10e9 });
  });
  it("joins events of a lane that would overlap, and loses none", () => {
    expect(places([at(10, "save"), at(12, "save"), at(12.9, "save"), at(13, "save"), at(10.5, "goal")], 100e9)).toEqual([
      ["save", 4, [[0, 0.1, 3], [3, 0.13, 1]]], ["goal", 1, [[4, 0.105, 1]]],
    ]);
    const many = Array.from({ length: 2000 }, (_, n) => at(n / 10, `kind ${n % 3}`));
    for (const lane of timeLine(many, null, 0.05).lanes) {
      expect(lane.marks.reduce((sum, mark) => sum + mark.events.length, 0)).toBe(lane.count);
      for (const [n, mark] of lane.marks.entries()) expect(mark.share - (lane.marks[n - 1]?.share ?? -1)).toBeGreaterThanOrEqual(0.05);
    }
  });
  it("has at most eight lanes: the rarest kinds share the last", () => {
    const events = [...Array.from({ length: 10 }, (_, n) => at(n, `rare ${n}`)), at(20, "goal"), at(40, "goal")];
    const { lanes } = timeLine(events, 100e9, 0.001);
    expect(lanes).toHaveLength(8);
    expect([lanes[6]?.kind, lanes[7]?.kind, lanes[7]?.count]).toEqual(["goal", OTHERS, 4]);
    expect(lanes.reduce((sum, lane) => sum + lane.count, 0)).toBe(events.length);
  });
  it("describes marks in words", () => {
    const words = (events: MatchEvent[]) => timeLine(events, 600e9, 0.03).lanes[0]?.marks.map((mark) => markText(mark, "own_goal", 0));
    expect(words([at(65, "own_goal", "2:1")])).toEqual(["1:05, own goal: 2:1"]);
    expect(words([at(65, "own_goal")])).toEqual(["1:05, own goal"]);
    expect(words([at(65, "own_goal"), at(80, "own_goal")])).toEqual(["1:05 to 1:20, 2 × own goal"]);
    expect([kindName("zone_update"), kindName("")]).toEqual(["zone update", "event"]);
    expect([digitsOf(5e9), digitsOf(60e9), digitsOf(600e9)]).toEqual([2, 1, 0]);
  });
  it("is walked in the order of time over all lanes, and stops at its ends", () => {
    const marks = timeLine([at(10, "goal"), at(20, "save"), at(30, "goal")], 100e9, 0.03).lanes.flatMap((lane) => lane.marks);
    const walk = (from: number, key: string) => { const to = nextMark(marks, from, key); return to === null ? null : (marks[to]?.share ?? null); };
    expect([walk(0, "ArrowRight"), walk(2, "ArrowRight"), walk(1, "ArrowRight")]).toEqual([0.2, 0.3, 0.3]);
    expect([walk(1, "ArrowLeft"), walk(0, "ArrowLeft"), walk(0, "End"), walk(1, "Home")]).toEqual([0.2, 0.1, 0.3, 0.1]);
    expect([walk(0, "Enter"), walk(0, "x")]).toEqual([null, null]);
  });
});
