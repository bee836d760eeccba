// Plots one channel of a tape over time, as a band between the minimum and the maximum of each stretch. Cursor and range are owned by the caller.

import { useEffect } from "preact/hooks";
import type uPlot from "uplot";
import { colour } from "../app/theme";
import { type Points, type Span, digitsFor, tapeTime } from "../numbers/tape";
import { type Mounted, cursorOf, dragged, putCursor, usePlot } from "./mount";

/** A time shared by several plots. Notifies listeners without rendering. */
export class SharedTime {
  seconds: number | null = null;
  private readonly listeners = new Set<(seconds: number | null) => void>();
  set(seconds: number | null) {
    if (seconds === this.seconds) return;
    this.seconds = seconds;
    for (const listener of this.listeners) listener(seconds);
  }
  on(listener: (seconds: number | null) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export interface Line { at: number; strong: boolean }

export interface BandProps extends Mounted {
  points: Points;
  span: Span;
  last: boolean;
  cursor: SharedTime;
  playhead: SharedTime;
  lines: Line[];
  onSpan: (span: Span | null) => void;
  onPick: (seconds: number) => void;
}

export function Band(props: BandProps) {
  const { container, plot } = usePlot(props, BAND, [props.last]);
  // Update the data in place when new values of the same channel arrive.
  useEffect(() => {
    plot.current?.setData(dataOf(props), false);
    plot.current?.setScale("x", { min: props.span.from, max: props.span.to });
  }, [props.points, props.span.from, props.span.to, props.lines]);
  return <div ref={container} class="trace-plot band-plot" />;
}

const dataOf = ({ points }: BandProps) => [points.x, points.max, points.min] as uPlot.AlignedData;

const BAND = { options, attach, data: dataOf, onClick: (props: BandProps, seconds: number) => props.onPick(seconds) };

/** Adds the playhead, and subscribes to the cursor and the playhead. */
function attach(made: uPlot, latest: { current: BandProps }) {
  const { span, cursor, playhead } = latest.current;
  const head = document.createElement("i");
  head.className = "playhead";
  made.over.append(head);
  made.setScale("x", { min: span.from, max: span.to });
  const showHead = (at: number | null) => {
    const left = at === null ? -1 : made.valToPos(at, "x");
    head.hidden = !(left >= 0 && left <= made.over.clientWidth);
    head.style.transform = `translateX(${left.toFixed(1)}px)`;
  };
  showHead(playhead.seconds);
  // Reposition the playhead after a zoom.
  made.hooks.setScale?.push((_plot, key) => { if (key === "x") showHead(playhead.seconds); });
  const offs = [cursor.on((at) => putCursor(made, at)), playhead.on(showHead)];
  return () => { for (const off of offs) off(); };
}

function options(latest: { current: BandProps }, width: number): uPlot.Options {
  const { height, last } = latest.current;
  const [edge, faint, line] = [colour("edge"), colour("faint"), colour("clutch")];
  const axis = { stroke: faint, font: "12px system-ui, sans-serif", grid: { stroke: edge, width: 1 }, ticks: { show: false } };
  const series: uPlot.Series = { stroke: line, width: 1.5, points: { show: false }, spanGaps: false };
  return {
    width, height,
    legend: { show: false },
    padding: [6, 10, last ? 0 : 6, 0],
    scales: { x: { time: false }, y: { range: (_plot, min, max) => yRange(min, max) } },
    axes: [
      { ...axis, size: last ? 28 : 6, space: 80, incrs: [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200],
        values: (_plot, ticks) => ticks.map((tick) => (last ? tapeTime(tick, Math.min(1, digitsFor(latest.current.span))) : "")) },
      { ...axis, size: 58, space: 26, values: (_plot, ticks) => ticks.map((tick) => short(tick)) },
    ],
    cursor: cursorOf(() => latest.current.onSpan(null), { show: false }),
    series: [{}, series, series],
    bands: [{ series: [1, 2], fill: `${line}44` }],
    hooks: {
      setScale: [(plot, key) => { if (key === "x") putCursor(plot, latest.current.cursor.seconds); }],
      setCursor: [(plot) => {
        if (!plot.root.matches(":hover")) return;
        const left = plot.cursor.left ?? -1;
        latest.current.cursor.set(left < 0 ? null : plot.posToVal(left, "x"));
      }],
      setSelect: [(plot) => { const span = dragged(plot); if (span) latest.current.onSpan(span); }],
      drawClear: [(plot) => drawLines(plot, latest.current.lines)],
    },
  };
}

function short(value: number): string {
  const text = Math.abs(value) >= 10_000 ? `${Math.round(value / 100) / 10}k` : String(Math.round(value * 1000) / 1000);
  return text.replace("-", "−");
}

function yRange(min: number | null, max: number | null): [number, number] {
  const [low, high] = [min ?? 0, max ?? 1];
  const pad = Math.max((high - low) * 0.08, Math.abs(high) * 1e-6, 1e-3);
  return [low - pad, high + pad];
}

/** Draws vertical lines at lap starts and marks. */
function drawLines(plot: uPlot, lines: readonly Line[]) {
  const pen = plot.ctx;
  const { top, height, left, width } = plot.bbox;
  const ratio = devicePixelRatio || 1;
  const [mark, lap] = [colour("amber"), colour("faint")];
  pen.save();
  for (const line of lines) {
    const x = plot.valToPos(line.at, "x", true);
    if (x < left || x > left + width) continue;
    pen.strokeStyle = line.strong ? mark : lap;
    pen.lineWidth = (line.strong ? 1.5 : 1) * ratio;
    pen.setLineDash(line.strong ? [] : [2 * ratio, 4 * ratio]);
    pen.beginPath();
    pen.moveTo(x, top);
    pen.lineTo(x, top + height);
    pen.stroke();
  }
  pen.restore();
}
