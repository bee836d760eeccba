// One tape: its contents, channels over time, marks, playback, download and export. The view is in the URL.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Lap, Schemas } from "../../api/client";
import { useFetch } from "../../api/use";
import { Shown } from "../../app/problem";
import { setQuery, useRoute } from "../../app/router";
import { useKeys } from "../../app/shortcuts";
import { type Span, type TapeInside, spanOf, spanText } from "../../numbers/tape";
import { SharedTime } from "../../plots/band";
import { bytes, duration, moment } from "../../words/format";
import { game, words } from "../../words/names";
import { About } from "./about";
import { AddChannel, Channels } from "./channels";
import { ExportDialog } from "./export_dialog";
import { Player } from "./player";
import { save } from "./save";
import { type Mark, Strip } from "./strip";

export function TapePage() {
  const { path } = useRoute();
  const id = path.split("/")[2] ?? "";
  const answer = useFetch<TapeInside>(`/tapes/${id}`);
  return <div class="page tape-page"><Shown of={answer}>{(tape) => <Inside tape={tape} />}</Shown></div>;
}

function Inside({ tape }: { tape: TapeInside }) {
  const { query } = useRoute();
  const cursor = useRef(new SharedTime()).current;
  const playhead = useRef(new SharedTime()).current;
  const [exporting, setExporting] = useState(false);
  const laps = useMemo(() => tape.sessions.flatMap((session) => session.laps ?? []).filter((lap) => !lap.deleted_utc), [tape]);
  const marks = useMemo((): Mark[] => tape.events.filter((event) => event.kind === "mark").map((event) => ({ at: event.at_ns / 1e9, kind: event.kind, text: event.text })), [tape]);
  const length = Math.max(0.1, (tape.tape.duration_ns ?? 0) / 1e9, ...tape.streams.map((stream) => (stream.last_ns ?? 0) / 1e9));
  const span = useMemo(() => spanOf(query.get("x"), length), [query.get("x"), length]);
  const whole = span.from <= 0 && span.to >= length;
  const channels = query.has("ch") ? (query.get("ch") ?? "").split(",").filter((name) => name && name !== "none") : tape.usual;
  const onSpan = (next: Span | null) => setQuery({ x: next && spanText(next, length) });
  const setChannels = (next: string[]) => setQuery({ ch: next.join(",") === tape.usual.join(",") ? null : next.join(",") || "none" });
  const bestMs = tape.sessions.reduce<number | null>((best, one) => (one.best_ms != null && (best === null || one.best_ms < best) ? one.best_ms : best), null);
  const zoom = (factor: number) => {
    const middle = cursor.seconds ?? playhead.seconds ?? (span.from + span.to) / 2;
    const width = (span.to - span.from) * factor;
    onSpan(width >= length ? null : { from: middle - width / 2, to: middle + width / 2 });
  };
  useKeys({ "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": () => onSpan(null), Escape: () => onSpan(null) });
  useEffect(() => { document.title = `${title(tape)} · gametape`; }, [tape]);
  const file = tape.tape.file ?? `${tape.tape.id}.gtape`;
  return (
    <>
      <header class="page-head session-head">
        <div>
          <p class="soft"><a href="/tapes">Tapes</a> / {moment(tape.tape.created_utc)}</p>
          <h1>{title(tape)}</h1>
          <p class="soft facts">{[tape.tape.car && words(tape.tape.car), tape.tape.track && game(tape.tape.game), tape.game_version, duration((tape.tape.duration_ns ?? 0) / 1e6), bytes(tape.tape.bytes), file].filter(Boolean).map((one) => <span key={String(one)}>{one}</span>)}
            {!tape.downloadable && <b class="chip">not closed</b>}{tape.recovered && <b class="chip">recovered from journal</b>}</p>
          {tape.note && <p class="session-note">{tape.note}</p>}
        </div>
        <p class="buttons">
          {tape.has_match && <a class="button" href={`/matches/${tape.tape.id}`}>Match</a>}
          <button type="button" disabled={!tape.downloadable} title={tape.downloadable ? "" : "Available once the tape is closed"} onClick={() => void save(`/tapes/${tape.tape.id}/file`, {}, file)}>Download</button>
          <button type="button" onClick={() => setExporting(true)}>Export</button>
        </p>
      </header>
      <Strip length={length} laps={laps} marks={marks} bestMs={bestMs} span={span} playhead={playhead} onSpan={onSpan} />
      <Player tape={tape.tape.id} length={length} span={span} whole={whole} playhead={playhead} cursor={cursor} />
      <section aria-label="Channels">
        <div class="compare-tools">
          <h2>{whole ? "Whole tape" : shownLap(laps, span)}</h2>
          {!whole && <button type="button" onClick={() => onSpan(null)}>Whole tape</button>}
          <AddChannel tape={tape} channels={channels} onAdd={(name) => setChannels([...channels, name])} />
        </div>
        <Channels tape={tape} channels={channels} span={span} whole={whole} cursor={cursor} playhead={playhead} laps={laps} marks={marks} onSpan={onSpan} onRemove={(name) => setChannels(channels.filter((one) => one !== name))} />
        <p class="soft hint-line">Drag across a plot to zoom in; double-click to show the whole tape. Each band spans the minimum and maximum, so no peak is lost.</p>
      </section>
      <About tape={tape} laps={laps} channels={channels} onSpan={onSpan} onChannel={(name) => setChannels([...channels, name])} />
      <ExportDialog open={exporting} onClose={() => setExporting(false)} tape={tape.tape.id} file={file} laps={laps} shown={channels} streams={tape.streams} />
    </>
  );
}

function title(tape: TapeInside): string {
  const { track, game: of } = tape.tape as Schemas["TapeAnswer"];
  return track ? words(track) : game(of);
}

/** Returns the title of a range: the lap, if the range is one. */
function shownLap(laps: readonly Lap[], span: Span): string {
  const near = (a: number, b: number) => Math.abs(a - b) < Math.max(0.06, (span.to - span.from) / 500);
  const lap = laps.find((one) => near(one.start_ns / 1e9, span.from) && near((one.end_ns ?? 0) / 1e9, span.to));
  return lap ? `Lap ${lap.tape_lap}` : "Part of the tape";
}
