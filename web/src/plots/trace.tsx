// One plot over the distance: a line for each lap. Several of them share a cursor and a range; both live outside.

import { useEffect } from "preact/hooks";
import uPlot from "uplot";
import { colour } from "../app/theme";
import { lapColour, lapDash } from "./colours";
import { type Mounted, cursorOf, dragged, putCursor, usePlot } from "./mount";

export type Values = (number | null)[];

export interface Range { from: number; to: number }

/** Where the cursor is: told without rendering anything. */
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
  /** Number of the lap of each line: its colour. */
  laps: number[];
  range: Range;
  cursor: CursorLine;
  onRange: (range: Range | null) => void;
  onPin: (metres: number) => void;
  marks?: { at: number; text: string }[];
  /** Slower above, faster below: filled around zero. */
  isDelta?: boolean;
  steps?: boolean;
  last?: boolean;
  /** What stands below the last plot; metres if nothing else is said. */
  xText?: (x: number) => string;
  /** How far apart the figures below may stand; decimal steps if nothing else is said. */
  xSteps?: number[];
  /** Names stand beside marks; on the plot of the delta they always do. */
  namesMarks?: boolean;
}

export function Trace(props: TraceProps) {
  const { place, plot } = usePlot(props, TRACE, [props.x, props.lines]);
  useEffect(() => {
    plot.current?.setScale("x", { min: props.range.from, max: props.range.to });
  }, [props.range.from, props.range.to]);
  return <div ref={place} class="trace-plot" />;
}

const TRACE = {
  options, begin,
  data: ({ x, lines }: TraceProps) => [x, ...lines] as uPlot.AlignedData,
  onClick: (props: TraceProps, x: number) => props.onPin(x),
};

function begin(made: uPlot, latest: { current: TraceProps }) {
  const off = latest.current.cursor.on((index) => putCursor(made, placeOf(latest.current.x, index)));
  const { range } = latest.current;
  made.setScale("x", { min: range.from, max: range.to });
  return off;
}

const placeOf = (x: number[], index: number | null) => (index === null ? null : x[index]);

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
      // Where a place lies is known only when the range is.
      setScale: [(plot, key) => { if (key === "x") putCursor(plot, placeOf(latest.current.x, latest.current.cursor.index)); }],
      setCursor: [(plot) => { if (plot.root.matches(":hover")) latest.current.cursor.set(plot.cursor.idx ?? null); }],
      setSelect: [(plot) => { const range = dragged(plot); if (range) latest.current.onRange(range); }],
      drawClear: [(plot) => drawMarks(plot, latest.current.marks ?? [], edge, faint, namesMarks)],
    },
  };
}

/** Figures of an axis; there is no room for more than seven signs. */
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

/** Corners: a line at each apex, with its name on the first plot. */
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
    // A name that would lie over the one before is left out.
    const half = named ? pen.measureText(mark.text).width / 2 : 0;
    if (!named || x - half < free) continue;
    pen.fillText(mark.text, x, top + 10 * ratio);
    free = x + half + 4 * ratio;
  }
  pen.restore();
}
