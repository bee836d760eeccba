// The events of a match: a time line with a lane for each kind, and a table. A mark selects its events in the table; a lane filters it.

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Match, MatchEvent } from "../../api/client";
import { setQuery, useRoute } from "../../app/router";
import { type Lane, type Mark, digitsOf, kindName, markText, nextMark, timeLine } from "../../numbers/match";
import { tapeTime } from "../../numbers/tape";
import { count, plural } from "../../words/format";

/** Width of a mark, including the space around it, in pixels. */
const MARK_PX = 24;

export function Events({ match }: { match: Match }) {
  const { query } = useRoute();
  const events = match.events ?? [];
  const line = useRef<HTMLDivElement>(null);
  const width = useWidth(line, events.length > 0);
  const { lanes, end_ns } = useMemo(() => timeLine(events, match.length_ns, Math.min(0.25, MARK_PX / Math.max(1, width))), [events, match.length_ns, width]);
  if (events.length === 0) return <section><h2>Events</h2><p class="panel note-panel soft">No events: the file has none that gametape can decode.</p></section>;
  const digits = digitsOf(end_ns);
  const picked = eventAt(query.get("event"), events.length);
  const found = lanes.flatMap((lane) => lane.marks.map((mark) => ({ lane, mark }))).find(({ mark }) => mark.events.includes(events[picked] as MatchEvent));
  const lane = lanes.find((one) => one.kind === query.get("kind")) ?? null;
  return (
    <section class="match-events">
      <h2>Events</h2>
      <div class="panel time-line">
        <div class="time-lanes" role="group" aria-label="Time line" aria-describedby="time-line-keys" onKeyDown={(event) => moveFocus(event, lanes)}>
          {lanes.map((one, n) => (
            <LaneRow key={one.kind} lane={one} track={n === 0 ? line : undefined} digits={digits} picked={found?.mark ?? null} only={lane === one}
              entry={found ? found.mark : lanes[0]?.marks[0] ?? null} filterable={lanes.length > 1} />
          ))}
        </div>
        {end_ns > 0 && <p class="time-axis num soft" aria-hidden="true"><span>{tapeTime(0)}</span><span>{tapeTime(end_ns / 2e9, digits)}</span><span>{tapeTime(end_ns / 1e9, digits)}</span></p>}
        <p class="hidden" id="time-line-keys">Arrow keys move between the events.</p>
        <p class="time-picked">{found ? <>{markText(found.mark, found.lane.kind, digits)} <button type="button" class="plain small-button" onClick={() => setQuery({ event: null })}>Clear</button></> : <span class="soft">Select a mark to find its events in the list.</span>}</p>
      </div>
      <Table events={events} leftOut={match.events_left_out ?? 0} only={lane} picked={found?.mark ?? null} digits={digits} />
    </section>
  );
}

/** Returns the index of the selected event in the URL, or −1. */
function eventAt(text: string | null, length: number): number {
  const n = /^\d{1,6}$/.test(text ?? "") ? Number(text) : -1;
  return n < length ? n : -1;
}

interface LaneProps { lane: Lane; track: RefObject<HTMLDivElement | null> | undefined; digits: number; picked: Mark | null; entry: Mark | null; only: boolean; filterable: boolean }

function LaneRow({ lane, track, digits, picked, entry, only, filterable }: LaneProps) {
  const name = <>{kindName(lane.kind)} <span class="num soft">{count(lane.count)}</span></>;
  return (
    <div class="time-lane">
      {filterable
        ? <button type="button" class="plain small-button lane-name" aria-pressed={only} title={only ? "List all events" : "List only these"} onClick={() => setQuery({ kind: only ? null : lane.kind })}>{name}</button>
        : <span class="lane-name">{name}</span>}
      <div class="lane-track" ref={track}>
        {lane.marks.map((mark) => {
          const text = markText(mark, lane.kind, digits);
          return (
            <button type="button" key={mark.first} class={`lane-mark ${mark === picked ? "on" : ""}`} style={{ left: `${mark.share * 100}%` }} data-first={mark.first}
              tabIndex={mark === entry ? 0 : -1} aria-pressed={mark === picked} aria-label={text} title={text} onClick={() => setQuery({ event: String(mark.first) })}>
              <span aria-hidden="true">{mark.events.length > 1 ? (mark.events.length > 99 ? "+" : mark.events.length) : ""}</span>
            </button>
          );
        })}
      </div>
    </div>
  );
}

/** Moves the focus and the selection between the marks of all lanes: they are one tab stop. */
function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }, lanes: readonly Lane[]): void {
  const first = (event.target as HTMLElement).dataset["first"];
  if (first === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") return setQuery({ event: null });
  const marks = lanes.flatMap((lane) => lane.marks);
  const to = nextMark(marks, marks.findIndex((mark) => mark.first === Number(first)), event.key);
  const mark = to === null ? undefined : marks[to];
  if (!mark) return;
  event.preventDefault();
  event.currentTarget.querySelector<HTMLElement>(`[data-first="${mark.first}"]`)?.focus();
  setQuery({ event: String(mark.first) });
}

function Table({ events, leftOut, only, picked, digits }: { events: readonly MatchEvent[]; leftOut: number; only: Lane | null; picked: Mark | null; digits: number }) {
  const box = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => (only ? only.marks.flatMap((mark) => mark.events) : events), [only, events]);
  const on = new Set(picked?.events);
  // Scrolls the list, not the page.
  useEffect(() => {
    const row = box.current?.querySelector<HTMLElement>("tr.on");
    if (row && box.current) box.current.scrollTop = row.offsetTop - box.current.clientHeight / 3;
  }, [picked?.first, only]);
  return (
    <>
      <div ref={box} class="panel scroll-x tape-events" tabIndex={0} role="region" aria-label="List of events">
        <table>
          <thead><tr><th>Time</th><th>Event</th><th>Text</th></tr></thead>
          <tbody>{rows.map((event, n) => (
            <tr key={n} class={on.has(event) ? "on" : ""} aria-current={on.has(event) ? "true" : undefined}>
              <td class="num">{tapeTime(event.at_ns / 1e9, digits)}</td><td>{kindName(event.kind)}</td><td class="wide-text">{event.text}</td>
            </tr>
          ))}</tbody>
        </table>
      </div>
      <p class="soft hint-line">{plural(rows.length, "event")}{only ? ` of ${count(events.length)}` : ""}{leftOut > 0 ? `. The tape has ${count(leftOut)} more.` : ""}</p>
    </>
  );
}

/** Returns the width of an element in pixels, and again when it changes. */
function useWidth(of: RefObject<HTMLElement | null>, present: boolean): number {
  const [width, setWidth] = useState(320);
  useLayoutEffect(() => {
    if (!of.current) return undefined;
    const watch = new ResizeObserver(([entry]) => { if (entry) setWidth(Math.round(entry.contentRect.width)); });
    watch.observe(of.current);
    return () => watch.disconnect();
  }, [of, present]);
  return width;
}
