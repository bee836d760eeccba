// The whole tape over time: traces of selected channels with laps and marks, and the car's position on the map.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKeys } from "../src/app/shortcuts";
import { channelName, indexAt, shown as asShown, unitOf } from "../src/pages/compare/comparison";
import { Readout, digitsFor } from "../src/pages/compare/plots";
import { CursorLine, type Range, Trace, type Values } from "../src/plots/trace";
import { fixed } from "../src/words/format";
import { AddChannel, ZoomButtons } from "./controls";
import { type Detail, type Report, type ReportSession, type TimeChannel, type TimeLines, values } from "./data";
import { TimeMap } from "./time_map";
import { useDetail } from "./detail";
import { type Window, pointsOf, spanOf, tapeTime, windowOf } from "./window";

const FIRST = ["speed_kmh", "throttle", "brake", "gear", "steering", "rpm"];
const ONE_LINE = [0];
const NOTHING = new Float64Array();
/** Tick spacings of the time axis in seconds. Listed because minutes and hours are not decimal. */
const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21_600, 86_400];

interface Props { report: Report; session: ReportSession | null; zoom: { range: Range } | null; detail?: Detail | undefined }

export function TimeView({ report, session, zoom, detail }: Props) {
  const { lines } = report;
  const span = useMemo(() => spanOf(lines), [lines.from_ns, lines.stretch_ns, lines.stretches]);
  const whole = useMemo(() => ({ from: span.from, to: span.from + span.stretch * span.stretches }), [span]);
  const cursor = useRef(new CursorLine()).current;
  /** The time at the cursor. Kept because an index refers to another time after a zoom. */
  const at = useRef<number | null>(null);
  const [zoomed, setZoomed] = useState<Range | null>(zoom?.range ?? null);
  /** The user's choice of channels. */
  const [chosen, setNames] = useState<string[] | null>(null);
  const names = useMemo(() => chosen ?? firstNames(lines.channels), [chosen, lines.channels]);
  useEffect(() => { if (zoom) setZoomed(clamp(zoom.range, whole)); }, [zoom]);
  const range = zoomed ?? whole;
  const coarse = useMemo(() => names.flatMap((name) => lines.channels.find((channel) => channel.name === name) ?? []), [names, lines.channels]);
  const fine: TimeLines | null = useDetail(detail, coarse, span, range);
  const window = useMemo(() => windowOf(fine ? spanOf(fine) : span, range.from, range.to), [span, fine, range.from, range.to]);
  const onPin = (seconds: number) => { at.current = seconds; cursor.set(indexAt(window.x, seconds)); };
  useEffect(() => cursor.on((index) => { if (index !== null) at.current = window.x[index] ?? null; }), [window]);
  useEffect(() => { if (at.current !== null) cursor.set(indexAt(window.x, at.current)); }, [window]);
  const step = (event: KeyboardEvent, sign: number) => cursor.set(Math.max(0, Math.min(window.x.length - 1, (cursor.index ?? 0) + sign * (event.shiftKey ? 10 : 1))));
  useKeys({ ArrowLeft: (event) => step(event, -1), ArrowRight: (event) => step(event, 1) });

  const marks = useMemo(() => marksOf(report), [report]);
  const shown = fine ? coarse.map((channel) => fine.channels.find(({ name }) => name === channel.name) ?? { ...channel, raw: NOTHING }) : coarse;
  const choice = lines.channels.map((channel) => channel.name).filter((name) => name !== "x_m" && name !== "z_m");
  const onRange = (next: Range | null) => setZoomed(next && clamp(next, whole));
  // Without laps or positions there is no map: leave out its column.
  const map = report.sessions.length > 0 || ["x_m", "z_m"].every((name) => lines.channels.some((channel) => channel.name === name));
  return (
    <div class={map ? "compare-body" : ""}>
      <div class="compare-main">
        <div class="compare-tools">
          <ZoomButtons range={range} whole={whole} at={() => at.current} least={2} onRange={onRange} />
          <Where report={report} window={window} cursor={cursor} />
          <AddChannel names={choice} shown={names} onAdd={(name) => setNames([...names, name])} />
        </div>
        <div class="plots" data-detail={fine ? "full" : "stored"}>
          {shown.map((channel, n) => (
            <TimePlot key={channel.name} channel={channel} window={window} range={range} cursor={cursor} marks={marks} first={n === 0} last={n === shown.length - 1}
              onRange={onRange} onPin={onPin} onRemove={() => setNames(names.filter((name) => name !== channel.name))} />
          ))}
          {shown.length === 0 && <p class="soft none panel">{choice.length > 0 ? "Choose a channel above." : "No channel in this tape has changing numeric values."}</p>}
        </div>
      </div>
      {map && <aside class="compare-aside"><section class="panel" aria-label="Track map"><TimeMap report={report} session={session} span={span} range={range} window={window} cursor={cursor} onPin={onPin} /></section></aside>}
    </div>
  );
}

/** Returns the channels shown at first: the common ones, or the first six if the tape has none of those. */
function firstNames(channels: readonly TimeChannel[]): string[] {
  const known = FIRST.filter((name) => channels.some((channel) => channel.name === name));
  return known.length > 0 ? known : channels.filter((channel) => channel.name !== "x_m" && channel.name !== "z_m").slice(0, 6).map((channel) => channel.name);
}

function clamp(range: Range, whole: Range): Range | null {
  const [from, to] = [Math.max(whole.from, range.from), Math.min(whole.to, range.to)];
  return to - from < 0.2 || to - from >= whole.to - whole.from ? null : { from, to };
}

/** Returns the lap starts and the user's marks, in order of time. */
function marksOf(report: Report): { at: number; text: string }[] {
  const laps = report.sessions.flatMap((session) => session.laps.map((lap) => ({ at: lap.start_ns / 1e9, text: `L${lap.number ?? lap.tape_lap}` })));
  const marks = report.marks.map((mark) => ({ at: mark.at_ns / 1e9, text: `⚑ ${mark.text}`.slice(0, 40) }));
  return [...laps, ...marks].sort((a, b) => a.at - b.at);
}

/** The time at the cursor, and the lap at that time. */
function Where({ report, window, cursor }: { report: Report; window: Window; cursor: CursorLine }) {
  const label = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const write = (index: number | null) => {
      const seconds = index === null ? undefined : window.x[index];
      const lap = seconds === undefined ? undefined : report.sessions.flatMap((session) => session.laps).find((one) => one.start_ns / 1e9 <= seconds && (one.end_ns == null || seconds < one.end_ns / 1e9));
      if (label.current) label.current.textContent = seconds === undefined ? "" : `${tapeTime(seconds, 2)}${lap ? ` · lap ${lap.number ?? lap.tape_lap}` : ""}`;
    };
    write(cursor.index);
    return cursor.on(write);
  }, [report, window, cursor]);
  return <span class="num cursor-place" ref={label} />;
}

interface PlotProps {
  channel: TimeChannel; window: Window; range: Range; cursor: CursorLine; marks: { at: number; text: string }[]; first: boolean; last: boolean;
  onRange: (range: Range | null) => void; onPin: (seconds: number) => void; onRemove: () => void;
}

function TimePlot({ channel, window, first, last, onRemove, ...rest }: PlotProps) {
  const [all, setAll] = useState<Float64Array | null>(null);
  useEffect(() => {
    let wanted = true;
    void values(channel).then((found) => { if (wanted) setAll(found); });
    return () => { wanted = false; };
  }, [channel]);
  const lines = useMemo((): Values[] => (all ? [asShown(channel.name, pointsOf(all, channel.shift, window))] : []), [all, channel, window]);
  const digits = useMemo(() => digitsFor(lines), [lines]);
  const text = useMemo(() => (value: number | null | undefined) => fixed(value, digits), [digits]);
  const name = channelName(channel.name);
  const height = (channel.name === "speed_kmh" ? 170 : channel.name === "gear" ? 84 : 110) + (last ? 22 : 0);
  const xText = useMemo(() => (x: number) => tapeTime(x, rest.range.to - rest.range.from < 8 ? 1 : 0), [rest.range]);
  return (
    <figure class="plot" data-channel={name}>
      <figcaption>
        <b>{name}</b> <span class="soft">{unitOf(channel.name, channel.unit)}</span>
        <Readout cursor={rest.cursor} lines={lines} laps={ONE_LINE} text={text} />
        <button type="button" class="plain small-button" onClick={onRemove} aria-label={`Remove ${name}`}>×</button>
      </figcaption>
      {lines.length > 0 ? <Trace {...rest} name={name} x={window.x} lines={lines} laps={ONE_LINE} height={height} last={last} xText={xText} xSteps={STEPS} namesMarks={first} steps={!channel.smooth && channel.name === "gear"} /> : <p class="loading">…</p>}
    </figure>
  );
}
