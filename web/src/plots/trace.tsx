// Plots one channel by distance or time, with one line per lap. Plots share a cursor and a range, both owned by the caller.

import { useEffect } from "preact/hooks";
import uPlot from "uplot";
import { colour } from "../app/theme";
import { lapColour, lapDash } from "./colours";
import { type Mounted, cursorOf, dragged, putCursor, usePlot } from "./mount";

export type Values = (number | null)[];

export interface Range { from: number; to: number }

/** The cursor position shared by several plots. Notifies listeners without rendering. */
export class CursorLine {
  index: number | null = null;
  private readonly listeners = new Set<(index: number | null) => void>();
  set(index: number | null) {
    if (index === this.index) return;
    this.index = index;
    for (const listener of this.listeners) listener(index);
  }
  on(listener: (index: number | null) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

export interface TraceProps extends Mounted {
  name: string;
  x: number[];
  lines: Values[];
  /** The lap number of each line, which selects its style. */
  laps: number[];
  range: Range;
  cursor: CursorLine;
  onRange: (range: Range | null) => void;
  onPin: (metres: number) => void;
  marks?: { at: number; text: string }[];
  /** Whether the plot is a delta: slower above zero, faster below, filled to zero. */
  isDelta?: boolean;
  steps?: boolean;
  last?: boolean;
  /** Formats tick labels of the x axis, which is drawn below the last plot. Metres by default. */
  xText?: (x: number) => string;
  /** Allowed tick spacings of the x axis. Decimal by default. */
  xSteps?: number[];
  /** Whether to label marks. True by default for a delta. */
  namesMarks?: boolean;
}

export function Trace(props: TraceProps) {
  const { container, plot } = usePlot(props, TRACE, [props.x, props.lines]);
  useEffect(() => {
    plot.current?.setScale("x", { min: props.range.from, max: props.range.to });
  }, [props.range.from, props.range.to]);
  return <div ref={container} class="trace-plot" />;
}

const TRACE = {
  options, attach,
  data: ({ x, lines }: TraceProps) => [x, ...lines] as uPlot.AlignedData,
  onClick: (props: TraceProps, x: number) => props.onPin(x),
};

function attach(made: uPlot, latest: { current: TraceProps }) {
  const off = latest.current.cursor.on((index) => putCursor(made, xOf(latest.current.x, index)));
  const { range } = latest.current;
  made.setScale("x", { min: range.from, max: range.to });
  return off;
}

const xOf = (x: number[], index: number | null) => (index === null ? null : x[index]);

function options(latest: { current: TraceProps }, width: number): uPlot.Options {
  const { lines, laps, height, isDelta, steps, last, xText = (x: number) => `${x} m`, xSteps, namesMarks = !!isDelta } = latest.current;
  const [edge, faint] = [colour("edge"), colour("faint")];
  const font = "12px system-ui, sans-serif";
  const axis = { stroke: faint, font, grid: { stroke: edge, width: 1 }, ticks: { show: false } };
  return {
    width, height,
    pxAlign: 1,
    legend: { show: false },
    padding: [8, 10, last ? 0 : 6, 0],
    scales: { x: { time: false }, y: { range: (_plot, min, max) => yRange(min, max, !!isDelta) } },
    axes: [
      { ...axis, show: true, size: last ? 28 : 6, ...(xSteps ? { incrs: xSteps } : {}), values: (_plot, ticks) => ticks.map((tick) => (last ? xText(tick) : "")) },
      { ...axis, size: 54, ...(steps ? { incrs: [1, 2, 5], space: 14 } : {}), values: (_plot, ticks) => ticks.map((tick) => (isDelta ? `${tick > 0 ? "+" : tick < 0 ? "−" : ""}${Math.abs(tick / 1000).toFixed(tick % 100 ? 2 : 1)}` : plainTick(tick))) },
    ],
    cursor: cursorOf(() => latest.current.onRange(null), { size: 8, width: 2 }),
    series: [{}, ...lines.map((_, n): uPlot.Series => ({
      stroke: lapColour(laps[n] as number),
      width: n === 0 && lines.length > 1 && !isDelta ? 1.5 : 2,
      dash: lapDash(laps[n] as number),
      points: { show: false },
      spanGaps: false,
      ...(steps && uPlot.paths.stepped ? { paths: uPlot.paths.stepped({ align: 1 }) } : {}),
      ...(isDelta && lines.length === 1 ? { fill: (plot: uPlot) => aroundZero(plot), fillTo: 0 } : {}),
    }))],
    hooks: {
      // Pixel positions are known only after the scale is set.
      setScale: [(plot, key) => { if (key === "x") putCursor(plot, xOf(latest.current.x, latest.current.cursor.index)); }],
      setCursor: [(plot) => { if (plot.root.matches(":hover")) latest.current.cursor.set(plot.cursor.idx ?? null); }],
      setSelect: [(plot) => { const range = dragged(plot); if (range) latest.current.onRange(range); }],
      drawClear: [(plot) => drawMarks(plot, latest.current.marks ?? [], edge, faint, namesMarks)],
    },
  };
}

/** Formats a tick label in at most seven characters, all that fits. */
function plainTick(tick: number): string {
  const text = Math.abs(tick) >= 1e6 ? tick.toExponential(1).replace("e+", "e") : String(Math.round(tick * 1000) / 1000);
  return text.replace("-", "−");
}

function yRange(min: number | null, max: number | null, isDelta: boolean): [number, number] {
  let [low, high] = [min ?? 0, max ?? 1];
  if (isDelta) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
  const pad = Math.max((high - low) * 0.06, isDelta ? 20 : 1e-3);
  return [low - pad, high + pad];
}

function aroundZero(plot: uPlot): CanvasGradient | string {
  const { top, height } = plot.bbox;
  const zero = Math.max(0, Math.min(1, (plot.valToPos(0, "y", true) - top) / Math.max(1, height)));
  if (!Number.isFinite(zero)) return "transparent";
  const gradient = plot.ctx.createLinearGradient(0, top, 0, top + height);
  const [slower, faster] = [`${colour("slower")}55`, `${colour("faster")}55`];
  gradient.addColorStop(0, slower);
  gradient.addColorStop(zero, slower);
  gradient.addColorStop(zero, faster);
  gradient.addColorStop(1, faster);
  return gradient;
}

/** Draws a vertical line at each mark, such as a corner's apex, with its label if `named`. */
function drawMarks(plot: uPlot, marks: { at: number; text: string }[], edge: string, faint: string, named: boolean) {
  const pen = plot.ctx;
  const { top, height, left, width } = plot.bbox;
  const ratio = devicePixelRatio || 1;
  pen.save();
  pen.strokeStyle = edge;
  pen.lineWidth = ratio;
  pen.setLineDash([2 * ratio, 3 * ratio]);
  pen.fillStyle = faint;
  pen.font = `${11 * ratio}px system-ui, sans-serif`;
  pen.textAlign = "center";
  let free = -Infinity;
  for (const mark of marks) {
    const x = plot.valToPos(mark.at, "x", true);
    if (x < left || x > left + width) continue;
    pen.beginPath();
    pen.moveTo(x, top);
    pen.lineTo(x, top + height);
    pen.stroke();
    // Skip a label that would overlap the previous one.
    const half = named ? pen.measureText(mark.text).width / 2 : 0;
    if (!named || x - half < free) continue;
    pen.fillText(mark.text, x, top + 10 * ratio);
    free = x + half + 4 * ratio;
  }
  pen.restore();
}
