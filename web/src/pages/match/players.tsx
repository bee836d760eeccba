// The players of a match in their teams, with the counters of the game. On phones every player is a card.

import type { Match, MatchPlayer } from "../../api/client";
import { type Side, counterNames, outcome, playerName, sides, teamName } from "../../numbers/match";
import { UNKNOWN, count, plural } from "../../words/format";
import { word } from "../../words/names";

interface Columns { as: boolean; result: boolean; score: boolean; counters: string[] }

export function Players({ match }: { match: Match }) {
  const { players } = match;
  const teams = sides(match);
  if (teams.length === 0) return <section><h2>Players</h2><p class="panel note-panel soft">The file lists no players.</p></section>;
  // A column in which nothing is known is left out.
  const columns = {
    as: players.some((player) => player.played_as != null),
    result: teams.some(({ team, players }) => team?.result == null && players.some((player) => player.result != null)),
    score: players.some((player) => player.score != null),
    counters: counterNames(players),
  };
  return (
    <section>
      <h2>Players</h2>
      <div class="panel scroll-x" tabIndex={0} role="region" aria-label="Players">
        <table class="players" role="table">
          <thead>
            <tr>
              <th>Player</th>{columns.as && <th>Played as</th>}{columns.result && <th>Result</th>}{columns.score && <th class="num">Score</th>}
              {columns.counters.map((name) => <th key={name} class="num">{word(name)}</th>)}
            </tr>
          </thead>
          {teams.map((side) => <Team key={side.team?.number ?? "none"} side={side} columns={columns} named={teams.length > 1 || side.team !== null} />)}
        </table>
      </div>
      {match.players_left_out > 0 && <p class="soft hint-line">{plural(match.players_left_out, "more player")} not listed.</p>}
    </section>
  );
}

function Team({ side: { team, players }, columns, named }: { side: Side; columns: Columns; named: boolean }) {
  const width = 1 + Number(columns.as) + Number(columns.result) + Number(columns.score) + columns.counters.length;
  const result = outcome(team?.result);
  return (
    <tbody role="rowgroup">
      {named && (
        <tr role="row"><th role="rowheader" colSpan={width} scope="rowgroup" class="rowgroup">
          <b>{team ? teamName(team) : "Team unknown"}</b>
          {team?.score != null && <span class="num team-score">{count(team.score)}</span>}
          {result && <span class={`chip ${result === "won" ? "won" : ""}`}>{result}</span>}
        </th></tr>
      )}
      {players.map((player, n) => <Player key={n} player={player} columns={columns} />)}
    </tbody>
  );
}

/** A row, laid out as a card on phones. The roles are explicit because an element without table layout loses its implicit role. */
function Player({ player, columns }: { player: MatchPlayer; columns: Columns }) {
  const { as, result, score, counters } = columns;
  const figure = (name: string, value: number | null | undefined) => <td key={name} role="cell" class="num" data-label={name}>{count(value)}</td>;
  return (
    <tr role="row" class={player.is_recorder ? "own" : ""}>
      <td role="cell" class="who">
        {player.is_recorder && <><span aria-hidden="true">▸ </span><span class="hidden">recorded by </span></>}
        <span>{playerName(player)}</span>
        {player.is_bot && <> <span class="chip">bot</span></>}
      </td>
      {as && <td role="cell" data-label="as">{player.played_as ?? UNKNOWN}</td>}
      {result && <td role="cell" data-label="result">{outcome(player.result) ?? UNKNOWN}</td>}
      {score && figure("score", player.score)}
      {counters.map((name) => figure(word(name), player.counters[name]))}
    </tr>
  );
}
