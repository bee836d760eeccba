// The report page: tape header, sessions with their laps, and traces by distance or over time. The viewer shows it too, with more than one tape
// and while a report is still being made.

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKeys } from "../src/app/shortcuts";
import { onTheme, switchTheme, theme } from "../src/app/theme";
import { MOST_LAPS } from "../src/plots/colours";
import type { Range } from "../src/plots/trace";
import { clock, day, duration } from "../src/words/format";
import { car, driver, game, sky, track, word, words } from "../src/words/names";
import type { Detail, Report, ReportSession } from "./data";
import { Help } from "./help";
import { LapView } from "./lap_view";
import { type Kept, keptLaps, comparable } from "./laps";
import { SessionPart } from "./session";
import { TimeView } from "./time_view";

type View = "laps" | "time";

/** An absolute date: a report may be read long after the drive, so "today" would be wrong. */
const moment = (utc: string | null): string => (utc ? `${day(utc)} ${clock(utc)}` : "–");

interface Props {
  /** The tape whose sessions are shown. */
  report: Report;
  /** All tapes whose laps can be compared. */
  tapes?: readonly Report[];
  detail?: Detail | undefined;
  /** Buttons in the header. */
  tools?: ComponentChildren;
  /** What there is to say above the heading. */
  notes?: ComponentChildren;
  /** A view of the game, shown above the traces. */
  field?: ComponentChildren;
  /** What the page is. */
  about?: string;
}

const fullestOf = (report: Report): number =>
  report.sessions.reduce((best, session, n) => (session.laps.length > (report.sessions[best]?.laps.length ?? -1) ? n : best), 0);

export function Page({ report, tapes = [report], detail, tools, notes, field, about = "This file is self-contained." }: Props) {
  const kept = useMemo(() => new Map(tapes.flatMap((tape) => [...keptLaps(tape)])), [tapes.length, ...tapes]);
  const [number, setNumber] = useState(() => fullestOf(report));
  const session = report.sessions[number] ?? null;
  const [selected, setSelected] = useState<string[]>([]);
  const [view, setView] = useState<View>("time");
  /** The tapes whose best laps have been selected. */
  const met = useRef(new Set<Report["key"]>());
  useEffect(() => setNumber(fullestOf(report)), [report.key, report.sessions.length]);
  useEffect(() => {
    let next = selected.filter((id) => kept.has(id));
    for (const tape of tapes) {
      if (met.current.has(tape.key) || tape.lines.laps.length === 0) continue;
      met.current.add(tape.key);
      next = withLapsOf(tape, next, kept);
    }
    if (next.join() === selected.join()) return;
    setSelected(next);
    if (next.length > 0) setView("laps");
  }, [kept]);
  const [help, setHelp] = useState(false);
  const [zoom, setZoom] = useState<{ range: Range } | null>(null);
  const [, setVersion] = useState(0);
  useEffect(() => onTheme(() => setVersion((n) => n + 1)), []);
  useEffect(() => { document.title = `${titleOf(report, session)} · gametape`; }, [report, session]);
  useKeys({ "?": () => setHelp(true), d: switchTheme, v: () => kept.size > 0 && setView(view === "laps" ? "time" : "laps") });

  const take = (n: number) => { setNumber(n); if (tapes.length === 1) setSelected(firstLaps(report.sessions[n] ?? null, kept)); };
  const toggle = (id: string) => {
    const next = selected.includes(id) ? selected.filter((one) => one !== id) : [...selected, id].slice(-MOST_LAPS);
    // Drop laps that are not comparable, such as laps on another track.
    const [first] = next.flatMap((one) => kept.get(one) ?? []);
    setSelected(next.filter((one) => { const own = kept.get(one); return own && first && comparable(own, first); }));
    setView("laps");
  };
  const showOnTape = (range: Range) => { setView("time"); setZoom({ range }); };
  return (
    <>
      <header class="top">
        <span class="brand"><svg viewBox="0 0 34 20" width="34" height="20" aria-hidden="true" class="mark"><circle cx="9" cy="9" r="5.5" /><circle cx="25" cy="9" r="5.5" /><path d="M3 17.5h28" /></svg><span>gametape</span></span>
        <span class="soft report-file" title={report.file}>{report.file}</span>
        {tools}
        <button type="button" class="icon" title="Toggle theme (d)" aria-label={`Switch to ${theme() === "dark" ? "light" : "dark"} theme`} onClick={switchTheme}>
          <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><circle cx="12" cy="12" r="8" fill="none" stroke="currentColor" stroke-width="1.8" /><path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor" /></svg>
        </button>
        <button type="button" class="icon" title="Keyboard shortcuts (?)" aria-label="Keyboard shortcuts" onClick={() => setHelp(true)}>?</button>
      </header>
      <main id="main" class="page compare report">
        {notes}
        <Head report={report} session={session} />
        {report.sessions.length > 1 && (
          <label class="pick"><span class="label">Session</span>
            <select value={String(number)} onChange={(event) => take(Number(event.currentTarget.value))}>
              {report.sessions.map((one, n) => <option key={one.id} value={String(n)}>{[`${n + 1}: ${word(one.type)}`, one.track && track(one), `${one.laps.length} laps`, moment(one.started_utc)].filter(Boolean).join(" · ")}</option>)}
            </select>
          </label>
        )}
        {session && <SessionPart session={session} kept={kept} selected={selected} onToggle={toggle} onTape={showOnTape} />}
        {field}
        {!(field && report.lines.channels.length === 0) && <section class="traces" aria-label="Traces">
          {kept.size > 0 && (
            <div class="views" role="tablist" aria-label="Traces">
              {([["laps", "Laps by distance"], ["time", "Tape over time"]] as const).map(([id, text]) => (
                <button key={id} type="button" role="tab" id={`tab-${id}`} aria-selected={view === id} aria-controls="view" tabIndex={view === id ? 0 : -1} onClick={() => setView(id)}
                  onKeyDown={(event) => { if (/^Arrow(Left|Right)$/.test(event.key)) { event.preventDefault(); event.stopPropagation(); const other = view === "laps" ? "time" : "laps"; setView(other); document.getElementById(`tab-${other}`)?.focus(); } }}>{text}</button>
              ))}
            </div>
          )}
          <div id="view" role={kept.size > 0 ? "tabpanel" : undefined} aria-labelledby={kept.size > 0 ? `tab-${view}` : undefined}>
            {view === "laps" ? <LapView tapes={tapes} kept={selected.flatMap((id) => kept.get(id) ?? [])} onRemove={toggle} /> : <TimeView key={report.key} report={report} session={session} zoom={zoom} detail={detail} />}
          </div>
        </section>}
        <footer class="soft report-foot">Created by {report.made_by}{report.complete ? "" : "; the tape was not closed"}. {about}</footer>
      </main>
      <Help open={help} onOpen={setHelp} />
    </>
  );
}

const titleOf = (report: Report, session: ReportSession | null): string =>
  session?.track ? track(session) : report.track ? words(report.track) : game(report.game);

/** Returns the selection with the best lap of a tape, if it can be compared; the first two laps of the first tape. */
function withLapsOf(tape: Report, selected: readonly string[], kept: ReadonlyMap<string, Kept>): string[] {
  const best = firstLaps(tape.sessions[fullestOf(tape)] ?? null, kept);
  const [first] = selected.flatMap((id) => kept.get(id) ?? []);
  if (!first) return best;
  return [...selected, ...best.slice(0, 1).filter((id) => { const own = kept.get(id); return own && comparable(own, first) && !selected.includes(id); })].slice(-MOST_LAPS);
}

/** Returns the laps selected at first: the best lap and the next best one. */
function firstLaps(session: ReportSession | null, kept: ReadonlyMap<string, unknown>): string[] {
  const there = (session?.laps ?? []).filter((lap) => kept.has(lap.id) && lap.time_ms != null);
  const whole = there.filter((lap) => lap.complete);
  const sorted = [...(whole.length > 0 ? whole : there)].sort((a, b) => Number(b.eligible) - Number(a.eligible) || (a.time_ms as number) - (b.time_ms as number));
  const best = sorted.find((lap) => lap.id === session?.best_lap);
  const ids = [...(best ? [best.id] : []), ...sorted.map((lap) => lap.id)];
  const first = [...new Set(ids)].slice(0, 2);
  if (first.length > 0) return first;
  // A lap without a time still has traces.
  return (session?.laps ?? []).filter((lap) => kept.has(lap.id)).slice(0, 1).map((lap) => lap.id);
}

function Head({ report, session }: { report: Report; session: ReportSession | null }) {
  const facts = session
    ? [session.car && car(session), session.driver && driver(session), game(session.game), word(session.type), moment(session.started_utc ?? report.created_utc), weather(session)]
    : [report.car && words(report.car), report.driver, report.track && game(report.game), report.created_utc && moment(report.created_utc)];
  const length = report.duration_ns === null ? null : `tape length ${duration(report.duration_ns / 1e6)}`;
  return (
    <header>
      <h1>{titleOf(report, session)}</h1>
      <p class="soft facts">{[...facts, length].filter(Boolean).map((text) => <span key={String(text)}>{text}</span>)}</p>
      {report.note && <p class="session-note">{report.note}</p>}
    </header>
  );
}

/** Formats conditions as "air 22 to 24 °C, track 30 °C, light rain". */
function weather(session: ReportSession): string | null {
  const range = (name: string, all: (number | null | undefined)[]) => {
    const known = all.filter((one): one is number => one != null).map(Math.round);
    if (known.length === 0) return null;
    const [low, high] = [Math.min(...known), Math.max(...known)];
    return `${name} ${low === high ? low : `${low} to ${high}`} °C`;
  };
  const parts = [range("air", session.laps.map((lap) => lap.conditions.air_celsius)), range("track", session.laps.map((lap) => lap.conditions.track_celsius)), sky(session.laps)];
  return parts.filter(Boolean).join(", ") || null;
}
