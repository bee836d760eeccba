// The list of sessions, filtered and searched by the server: bests, consistency and conditions at a glance. Filters and search are in the URL.

import { useEffect, useState } from "preact/hooks";
import type { Session } from "../api/client";
import { useFetch } from "../api/use";
import { Empty, Shown } from "../app/problem";
import { go, setQuery, useRoute } from "../app/router";
import { feed } from "../live/feed";
import { countingTimes, mean, paceTimes, spread } from "../numbers/stats";
import { LapDots } from "../plots/spark";
import { clock, delta, fixed, lapTime, moment } from "../words/format";
import { car, driver, game, sky, track, word } from "../words/names";
import { DatePick, Pick, TYPES, dayToUtc, useChoices, useDebounced } from "./filters";
import { useOlder } from "./older";

const FILTERS = ["game", "track", "car", "driver", "type", "tag", "min_laps", "from", "to"] as const;
/** Choices of the lap filter. Hides the many sessions that were quit at once. */
const LAPS = [{ value: "1", text: "1 or more" }, { value: "5", text: "5 or more" }, { value: "10", text: "10 or more" }];
const PAGE = 20;

export function SessionsPage() {
  const { query } = useRoute();
  const choices = useChoices();
  const [text, setText] = useState(query.get("q") ?? "");
  const q = useDebounced(searchTerms(text));
  const params = {
    ...Object.fromEntries(FILTERS.map((name) => [name, query.get(name)])),
    from: dayToUtc(query.get("from")), to: dayToUtc(query.get("to"), true), q, deleted: query.get("deleted") === "true", laps: true, limit: PAGE,
  };
  const first = useFetch<{ sessions: Session[]; next?: string | null }>("/sessions", params);
  const more = useOlder<Session>("/sessions", "sessions", params, first.data?.next ?? null);
  useEffect(() => feed.onEvent((event) => { if (/^(session_|lap_final|lap_edited|reset)/.test(event.kind)) first.reload(); }), [first.reload]);
  const chosen = FILTERS.filter((name) => query.get(name)).length;
  const filtered = chosen > 0;
  // Collapsed at first: on a phone the filters would fill the screen.
  const [folded, setFolded] = useState(true);
  return (
    <div class="page">
      <header class="page-head">
        <h1>Sessions</h1>
        <label class="search"><span class="hidden">Search</span>
          <input type="search" placeholder="Search track, car, driver, note, tag" value={text}
            onInput={(event) => { setText(event.currentTarget.value); setQuery({ q: event.currentTarget.value }); }} />
        </label>
      </header>
      <button type="button" class="filters-fold" aria-expanded={folded ? "false" : "true"} aria-controls="filters" onClick={() => setFolded(!folded)}>{chosen > 0 ? `Filters (${chosen})` : "Filters"}</button>
      <div id="filters" class={`filters ${folded ? "" : "open"}`} role="group" aria-label="Filters">
        <Pick name="game" label="Game" choices={choices.games} />
        <Pick name="track" label="Track" choices={choices.tracks} />
        <Pick name="car" label="Car" choices={choices.cars} />
        <Pick name="driver" label="Driver" choices={choices.drivers} />
        <Pick name="type" label="Type" choices={TYPES} />
        <Pick name="min_laps" label="Laps" choices={LAPS} />
        <DatePick name="from" label="From" />
        <DatePick name="to" label="To" />
        {query.get("tag") && <button type="button" onClick={() => setQuery({ tag: null }, "push")}>Tag: {query.get("tag")} ×</button>}
        {(filtered || query.get("deleted")) && <button type="button" class="plain" onClick={() => { setText(""); go("/sessions"); }}>Clear</button>}
      </div>
      <Shown of={first}>
        {(page) => <List sessions={[...page.sessions, ...more.entries]} searched={q !== ""} filtered={filtered} deleted={query.get("deleted") === "true"} />}
      </Shown>
      <footer class="page-foot">
        {more.next && <button type="button" disabled={more.loading} onClick={more.load}>Load older sessions</button>}
        {query.get("deleted") !== "true" && <a href="/sessions?deleted=true" class="soft">Deleted sessions</a>}
      </footer>
    </div>
  );
}

function List({ sessions, searched, filtered, deleted }: { sessions: Session[]; searched: boolean; filtered: boolean; deleted: boolean }) {
  if (sessions.length === 0 && searched) return <Empty title="Nothing found"><p>No session matches this search{filtered ? " and these filters" : ""}.</p></Empty>;
  if (sessions.length === 0 && deleted) return <Empty title="No deleted sessions" />;
  if (sessions.length === 0 && filtered) return <Empty title="No matching sessions"><p>Try removing a filter.</p></Empty>;
  if (sessions.length === 0) {
    return <Empty title="No sessions yet"><p>Drive a lap and the session appears here. To find laps in tapes you already have, run <code>gametape laps rebuild</code>.</p></Empty>;
  }
  return <ul class="sessions">{sessions.map((session) => <Row key={session.id} session={session} />)}</ul>;
}

/** Converts typed text to search terms: maps short names of games to the server's ids, and keeps at most eight words. */
export function searchTerms(text: string): string {
  const known: Record<string, string> = { acc: "competizione" };
  return text.trim().slice(0, 200).split(/\s+/).filter(Boolean).slice(0, 8).map((one) => known[one.toLowerCase()] ?? one).join(" ");
}

function Row({ session }: { session: Session }) {
  const laps = (session.laps ?? []).filter((lap) => !lap.deleted_utc);
  const pace = paceTimes(countingTimes(laps));
  const apart = spread(pace);
  const air = mean(laps.flatMap((lap) => lap.conditions.air_celsius ?? []));
  const ground = mean(laps.flatMap((lap) => lap.conditions.track_celsius ?? []));
  const gap = session.best_ms != null && session.theoretical_best_ms != null ? session.best_ms - session.theoretical_best_ms : null;
  return (
    <li>
      <a href={`/sessions/${session.id}`} class="row">
        <span class="when"><b>{moment(session.started_utc).replace(/ \d\d:\d\d$/, "")}</b><span class="soft num">{clock(session.started_utc)}</span></span>
        <span class="what">
          <b>{session.name ?? track(session)}</b>
          <span class="soft">{[session.name && track(session), car(session), session.driver && driver(session)].filter(Boolean).join(" · ")}</span>
        </span>
        <span class="kind"><span class="chip">{word(session.type)}</span> <span class="soft">{game(session.game)}</span>
          {session.end_reason == null && <span class="chip live-chip">running</span>}
          {session.tags.map((tag) => <span key={tag} class="chip tag">{tag}</span>)}
        </span>
        <span class="dots-cell"><LapDots laps={laps} /></span>
        <span class="stat"><span class="label">Best</span><span class="num purple">{lapTime(session.best_ms)}</span></span>
        <span class="stat"><span class="label">Potential</span><span class="num soft">{gap !== null && gap > 0 ? delta(-gap) : "–"}</span></span>
        <span class="stat"><span class="label">Spread</span><span class="num">{apart === null ? "–" : `${(apart / 1000).toFixed(2)} s`}</span></span>
        <span class="stat"><span class="label">Laps</span><span class="num">{session.lap_count}</span></span>
        <span class="stat wide-only"><span class="label">Air / track</span><span class="num soft" title={sky(laps)}>{air === null && ground === null ? "–" : `${fixed(air)} / ${fixed(ground)} °C`}</span><span class="soft sky">{sky(laps)}</span></span>
      </a>
    </li>
  );
}
