// The list of matches that were read from replay files, filtered by the server. Filters are in the URL.

import { useEffect, useState } from "preact/hooks";
import type { Match } from "../api/client";
import { useFetch } from "../api/use";
import { Empty, Shown } from "../app/problem";
import { go, setQuery, useRoute } from "../app/router";
import { feed } from "../live/feed";
import { FILTERS, filterText, lineUp, matchLength, ownOutcome, playerCount, played, resultText, title } from "../numbers/match";
import { UNKNOWN, clock, count, moment } from "../words/format";
import { REPLAY_GAMES, game, word } from "../words/names";
import { DatePick, Pick, TextPick, dayToUtc, useDebounced } from "./filters";
import { useOlder } from "./older";

const GAMES = Object.entries(REPLAY_GAMES).map(([value, text]) => ({ value, text }));
const PAGE = 20;

export function MatchesPage() {
  const { query } = useRoute();
  const player = useDebounced(query.get("player") ?? "");
  const map = useDebounced(query.get("map") ?? "");
  const params = {
    game: query.get("game"), player: filterText(player), map: filterText(map),
    from: dayToUtc(query.get("from")), until: dayToUtc(query.get("until"), true), limit: PAGE,
  };
  const first = useFetch<{ matches: Match[]; next?: string | null }>("/matches", params);
  const more = useOlder<Match>("/matches", "matches", params, first.data?.next ?? null);
  useEffect(() => feed.onEvent((event) => { if (event.kind === "reset") first.reload(); }), [first.reload]);
  const chosen = FILTERS.filter((name) => query.get(name)).length;
  // The search for a player is always visible.
  const folding = FILTERS.filter((name) => name !== "player" && query.get(name)).length;
  const [folded, setFolded] = useState(true);
  return (
    <div class="page">
      <header class="page-head">
        <h1>Matches</h1>
        <label class="search"><span class="hidden">Player</span>
          <input type="search" placeholder="Search player" maxLength={200} value={query.get("player") ?? ""} onInput={(event) => setQuery({ player: event.currentTarget.value })} />
        </label>
      </header>
      <button type="button" class="filters-fold" aria-expanded={folded ? "false" : "true"} aria-controls="filters" onClick={() => setFolded(!folded)}>{folding > 0 ? `Filters (${folding})` : "Filters"}</button>
      <div id="filters" class={`filters ${folded ? "" : "open"}`} role="group" aria-label="Filters">
        <Pick name="game" label="Game" choices={GAMES} />
        <TextPick name="map" label="Map" />
        <DatePick name="from" label="From" />
        <DatePick name="until" label="Until" />
        {chosen > 0 && <button type="button" class="plain" onClick={() => go("/matches")}>Clear</button>}
      </div>
      <Shown of={first}>{(page) => <List matches={[...page.matches, ...more.entries]} filtered={chosen > 0} />}</Shown>
      <footer class="page-foot">
        {more.next && <button type="button" disabled={more.loading} onClick={more.load}>Load older matches</button>}
      </footer>
    </div>
  );
}

function List({ matches, filtered }: { matches: Match[]; filtered: boolean }) {
  if (matches.length === 0 && filtered) return <Empty title="No matching matches"><p>Try removing a filter.</p></Empty>;
  if (matches.length === 0) {
    return <Empty title="No matches yet"><p>Matches come from replay files of games such as Rocket League, StarCraft II or osu!. Import them with <code>gametape import FILE</code>.</p></Empty>;
  }
  return <ul class="sessions">{matches.map((match) => <Row key={match.tape} match={match} />)}</ul>;
}

function Row({ match }: { match: Match }) {
  const name = title(match);
  const own = ownOutcome(match);
  const when = played(match);
  const [day, time] = when.utc ? [moment(when.utc).replace(/ \d\d:\d\d$/, ""), clock(when.utc)] : (when.local ?? UNKNOWN).split(" ");
  return (
    <li>
      <a href={`/matches/${match.tape}`} class="row match-row" data-match={match.tape}>
        <span class="when"><b>{day}</b><span class="soft num">{time}</span></span>
        <span class="what"><b>{name}</b><span class="soft">{lineUp(match)}</span></span>
        <span class="kind">{name !== game(match.game) && <span class="soft">{game(match.game)}</span>}{match.mode && <span class="chip">{word(match.mode)}</span>}</span>
        <span class="stat"><span class="label">Result</span><span class="num">{resultText(match)}{own && <span class={`own-result ${own === "won" ? "faster" : "soft"}`}> {own}</span>}</span></span>
        <span class="stat"><span class="label">Length</span><span class="num">{matchLength(match.length_ns)}</span></span>
        <span class="stat"><span class="label">Players</span><span class="num">{count(playerCount(match))}</span></span>
      </a>
    </li>
  );
}
