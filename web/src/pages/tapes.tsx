// The catalogue of tapes, with the sessions found in each.

import { useEffect, useMemo, useState } from "preact/hooks";
import type { Session, Tape } from "../api/client";
import { useFetch } from "../api/use";
import { Empty, Shown } from "../app/problem";
import { feed } from "../live/feed";
import { bytes, count, duration, lapTime, moment } from "../words/format";
import { game, track, words } from "../words/names";
import { ImportDrop } from "./import_drop";

export function TapesPage() {
  const answer = useFetch<{ tapes: Tape[]; next?: string | null }>("/tapes", { limit: 500 });
  const sessions = useFetch<{ sessions: Session[] }>("/sessions", { limit: 500 });
  const [text, setText] = useState("");
  const [now, setNow] = useState<string | null>(null);
  useEffect(() => feed.onCar(1, (car) => setNow(car.tape ?? null)), []);
  useEffect(() => feed.onEvent((event) => { if (/^(session_|reset)/.test(event.kind)) answer.reload(); }), [answer.reload]);
  const on = useMemo(() => {
    const found = new Map<string, Session[]>();
    for (const session of sessions.data?.sessions ?? []) found.set(session.tape_id, [...(found.get(session.tape_id) ?? []), session]);
    return found;
  }, [sessions.data]);
  return (
    <div class="page">
      <header class="page-head">
        <h1>Tapes</h1>
        <label class="search"><span class="hidden">Search</span><input type="search" placeholder="Search file, game, track, car" value={text} onInput={(event) => setText(event.currentTarget.value)} /></label>
      </header>
      <ImportDrop done={() => { answer.reload(); sessions.reload(); }} />
      <Shown of={answer}>{(page) => <List tapes={page.tapes} on={on} text={text} now={now} />}</Shown>
    </div>
  );
}

function List({ tapes, on, text, now }: { tapes: Tape[]; on: Map<string, Session[]>; text: string; now: string | null }) {
  if (tapes.length === 0) return <Empty title="No tapes yet"><p>gametape records a game's raw telemetry to a tape, byte for byte. New recordings appear here.</p></Empty>;
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = tapes.filter((tape) => { const all = [tape.file, tape.game, game(tape.game), tape.track, tape.car].join(" ").toLowerCase(); return wanted.every((one) => all.includes(one)); });
  const size = tapes.reduce((sum, tape) => sum + tape.bytes, 0);
  const time = tapes.reduce((sum, tape) => sum + (tape.duration_ns ?? 0) / 1e6, 0);
  if (found.length === 0) return <Empty title="Nothing found"><p>No tape matches this search.</p></Empty>;
  return (
    <>
      <p class="soft">{count(tapes.length)} tapes, {duration(time)}, {bytes(size)}</p>
      <div class="panel scroll-x" tabIndex={0} role="region" aria-label="Tapes">
        <table class="tapes" role="table">
          <thead><tr><th>Recorded</th><th>Tape</th><th class="num">Length</th><th class="num">Size</th><th class="num">Frames</th><th>State</th><th>Sessions</th></tr></thead>
          <tbody role="rowgroup">
            {found.map((tape) => <Row key={tape.id} tape={tape} sessions={on.get(tape.id) ?? []} running={tape.id === now} />)}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** A row, laid out as a card on phones. The roles are explicit because an element without table layout loses its implicit role. */
function Row({ tape, sessions, running }: { tape: Tape; sessions: Session[]; running: boolean }) {
  // While a tape is being recorded, the catalogue still has the values from when it was opened.
  const [length, size, frames] = running ? [null, null, null] : [tape.complete ? tape.duration_ns : tape.duration_ns || null, tape.bytes, tape.frames];
  const figure = (value: number | null | undefined, more = "") => `num ${more} ${value == null ? "unknown" : ""}`;
  return (
    <tr role="row" data-tape={tape.id}>
      <td role="cell" class="num">{moment(tape.created_utc)}</td>
      <td role="cell" class="tape-what"><a href={`/tapes/${tape.id}`}><b>{tape.track ? words(tape.track) : game(tape.game)}</b></a> <span class="soft">{[tape.car && words(tape.car), tape.track && game(tape.game)].filter(Boolean).join(" · ")}</span><span class="soft file">{tape.file}</span></td>
      <td role="cell" class={figure(length)}>{duration(length == null ? null : length / 1e6)}</td>
      <td role="cell" class={figure(size)}>{bytes(size)}</td>
      <td role="cell" class={figure(frames, "soft wide-only")}>{count(frames)}</td>
      <td role="cell" class="tape-end">{tape.missing ? <span class="chip invalid">✕ missing</span> : tape.complete ? <span class="chip">complete</span> : running ? <span class="chip live-chip">● recording</span> : <span class="chip">not closed</span>}</td>
      <td role="cell" class="tape-sessions">{sessions.map((session) => <a key={session.id} href={`/sessions/${session.id}`} title={track(session)}>{session.type} <span class="num soft">{lapTime(session.best_ms)}</span></a>)}</td>
    </tr>
  );
}
