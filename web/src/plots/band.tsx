// One channel of a tape over time: the smallest and the largest value of each stretch, with the room between them filled. Cursor and range live outside.

import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { colour, onTheme } from "../app/theme";
import { type Points, type Span, digitsFor, tapeTime } from "../numbers/tape";

/** A moment that several plots show: told without rendering anything. */
export class Moment {
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

export interface BandProps {
  points: Points;
  span: Span;
  height: number;
  last: boolean;
  cursor: Moment;
  playhead: Moment;
  lines: Line[];
  onSpan: (span: Span | null) => void;
  onPick: (seconds: number) => void;
  canvas?: { current: HTMLCanvasElement | null };
}

export function Band(props: BandProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [turn, setTurn] = useState(0);
  useEffect(() => onTheme(() => setTurn((n) => n + 1)), []);

  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const { points, span, cursor, playhead } = latest.current;
    const made = new uPlot(options(latest, element.clientWidth || 600), [points.x, points.max, points.min] as uPlot.AlignedData, element);
    plot.current = made;
    const head = document.createElement("i");
    head.className = "playhead";
    made.over.append(head);
    made.over.addEventListener("click", (event) => latest.current.onPick(made.posToVal(event.offsetX, "x")));
    if (latest.current.canvas) latest.current.canvas.current = made.ctx.canvas;
    const resize = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: latest.current.height }));
    resize.observe(element);
    made.setScale("x", { min: span.from, max: span.to });
    const showHead = (at: number | null) => {
      const left = at === null ? -1 : made.valToPos(at, "x");
      head.hidden = !(left >= 0 && left <= made.over.clientWidth);
      head.style.transform = `translateX(${left.toFixed(1)}px)`;
    };
    showHead(playhead.seconds);
    const offs = [cursor.on((at) => showCursor(made, at)), playhead.on(showHead)];
    return () => {
      for (const off of offs) off();
      resize.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [props.height, props.last, turn]);

  // New values of the same channel come while one looks at it: the plot stays.
  useEffect(() => {
    const { points, span } = props;
    plot.current?.setData([points.x, points.max, points.min] as uPlot.AlignedData, false);
    plot.current?.setScale("x", { min: span.from, max: span.to });
    latest.current.playhead.set(latest.current.playhead.seconds);
  }, [props.points, props.span.from, props.span.to, props.lines]);

  return <div ref={place} class="trace-plot band-plot" />;
}

function showCursor(plot: uPlot, at: number | null) {
  const left = at === null ? -10 : plot.valToPos(at, "x");
  if (Math.abs((plot.cursor.left ?? -10) - left) > 0.5) plot.setCursor({ left, top: 0 }, false);
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
    cursor: {
      y: false,
      drag: { x: true, y: false, setScale: false, dist: 6 },
      points: { show: false },
      bind: { dblclick: () => () => { latest.current.onSpan(null); return null; } },
    },
    series: [{}, series, series],
    bands: [{ series: [1, 2], fill: `${line}44` }],
    hooks: {
      setScale: [(plot, key) => { if (key === "x") showCursor(plot, latest.current.cursor.seconds); }],
      setCursor: [(plot) => {
        if (!plot.root.matches(":hover")) return;
        const left = plot.cursor.left ?? -1;
        latest.current.cursor.set(left < 0 ? null : plot.posToVal(left, "x"));
      }],
      setSelect: [(plot) => {
        const { left, width } = plot.select;
        if (width < 6) return;
        latest.current.onSpan({ from: plot.posToVal(left, "x"), to: plot.posToVal(left + width, "x") });
        plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      }],
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

/** Where laps begin, and marks. */
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
