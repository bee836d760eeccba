// All sessions: filters in the address, a search over what is shown, bests, consistency and conditions at a glance.

import { useEffect, useMemo, useState } from "preact/hooks";
import { type Session, ask } from "../api/client";
import { useAsk } from "../api/use";
import { Empty, Shown } from "../app/problem";
import { go, setQuery, usePlace } from "../app/router";
import { toast } from "../app/toasts";
import { feed } from "../live/feed";
import { countingTimes, mean, paceTimes, spread } from "../numbers/stats";
import { LapDots } from "../plots/spark";
import { clock, day, delta, fixed, lapTime, moment } from "../words/format";
import { car, driver, game, sky, track, word } from "../words/names";
import { DatePick, Pick, TYPES, dayAsMoment, useChoices } from "./filters";

const FILTERS = ["game", "track", "car", "driver", "type", "tag", "from", "to"] as const;
const PAGE = 20;

export function SessionsPage() {
  const { query } = usePlace();
  const choices = useChoices();
  const [text, setText] = useState(query.get("q") ?? "");
  const params = {
    ...Object.fromEntries(FILTERS.map((name) => [name, query.get(name)])),
    from: dayAsMoment(query.get("from")), to: dayAsMoment(query.get("to"), true), deleted: query.get("deleted") === "true", laps: true, limit: PAGE,
  };
  const first = useAsk<{ sessions: Session[]; next?: string | null }>("/sessions", params);
  const more = useMore(JSON.stringify(params), params, first.data?.next ?? null);
  useEffect(() => feed.onEvent((event) => { if (/^(session_|lap_final|lap_edited|reset)/.test(event.kind)) first.reload(); }), [first.reload]);
  const filtered = FILTERS.some((name) => query.get(name));
  return (
    <div class="page">
      <header class="page-head">
        <h1>Sessions</h1>
        <label class="search"><span class="hidden">Search</span>
          <input type="search" placeholder="Search track, car, driver, note, tag" value={text}
            onInput={(event) => { setText(event.currentTarget.value); setQuery({ q: event.currentTarget.value }); }} />
        </label>
      </header>
      <div class="filters" role="group" aria-label="Filters">
        <Pick name="game" label="Game" choices={choices.games} />
        <Pick name="track" label="Track" choices={choices.tracks} />
        <Pick name="car" label="Car" choices={choices.cars} />
        <Pick name="driver" label="Driver" choices={choices.drivers} />
        <Pick name="type" label="Type" choices={TYPES} />
        <DatePick name="from" label="From" />
        <DatePick name="to" label="Until" />
        {query.get("tag") && <button type="button" onClick={() => setQuery({ tag: null }, "push")}>Tag: {query.get("tag")} ×</button>}
        {(filtered || query.get("deleted")) && <button type="button" class="plain" onClick={() => go("/sessions")}>Clear</button>}
      </div>
      <Shown of={first}>
        {(page) => <List sessions={[...page.sessions, ...more.sessions]} text={text} filtered={filtered} deleted={query.get("deleted") === "true"} />}
      </Shown>
      <footer class="page-foot">
        {more.next && <button type="button" disabled={more.loading} onClick={more.load}>Older sessions</button>}
        {query.get("deleted") !== "true" && <a href="/sessions?deleted=true" class="soft">Deleted sessions</a>}
      </footer>
    </div>
  );
}

/** The pages after the first; they are forgotten when the question is another. */
function useMore(key: string, params: Record<string, string | number | boolean | null | undefined>, firstNext: string | null) {
  const [state, setState] = useState<{ sessions: Session[]; next: string | null; loading: boolean }>({ sessions: [], next: null, loading: false });
  useEffect(() => setState({ sessions: [], next: firstNext, loading: false }), [key, firstNext]);
  const load = () => {
    setState((old) => ({ ...old, loading: true }));
    ask<{ sessions: Session[]; next?: string | null }>("/sessions", { ...params, cursor: state.next }).then(
      (page) => setState((old) => ({ sessions: [...old.sessions, ...page.sessions], next: page.next ?? null, loading: false })),
      (error: Error) => { toast({ text: error.message, bad: true }); setState((old) => ({ ...old, loading: false })); },
    );
  };
  return { ...state, load };
}

export function matches(session: Session, text: string): boolean {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return true;
  const all = [track(session), car(session), driver(session), game(session.game), session.track, session.car, session.game, session.type, session.name, session.note, ...session.tags, day(session.started_utc)]
    .join(" ").toLowerCase();
  return wanted.every((one) => all.includes(one));
}

function List({ sessions, text, filtered, deleted }: { sessions: Session[]; text: string; filtered: boolean; deleted: boolean }) {
  const found = useMemo(() => sessions.filter((session) => matches(session, text)), [sessions, text]);
  if (sessions.length === 0 && deleted) return <Empty title="Nothing was deleted" />;
  if (sessions.length === 0 && filtered) return <Empty title="No session fits"><p>Take away a filter.</p></Empty>;
  if (sessions.length === 0) {
    return <Empty title="No sessions yet"><p>Drive a lap: sessions appear here by themselves. <code>gametape laps rebuild</code> finds the laps of tapes that you have.</p></Empty>;
  }
  if (found.length === 0) return <Empty title="Nothing found"><p>No session shown here has these words.</p></Empty>;
  return <ul class="sessions">{found.map((session) => <Row key={session.id} session={session} />)}</ul>;
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
        <span class="stat"><span class="label">Possible</span><span class="num soft">{gap !== null && gap > 0 ? delta(-gap) : "–"}</span></span>
        <span class="stat"><span class="label">Spread</span><span class="num">{apart === null ? "–" : `${(apart / 1000).toFixed(2)} s`}</span></span>
        <span class="stat"><span class="label">Laps</span><span class="num">{session.lap_count}</span></span>
        <span class="stat wide-only"><span class="label">Air / track</span><span class="num soft" title={sky(laps)}>{air === null && ground === null ? "–" : `${fixed(air)} / ${fixed(ground)} °C`}</span><span class="soft sky">{sky(laps)}</span></span>
      </a>
    </li>
  );
}
