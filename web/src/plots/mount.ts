// A plot of uPlot in a component: takes its place and how it is made, keeps it as wide as its place, makes it anew when its parts or the theme change.

import { type Inputs, useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { onTheme } from "../app/theme";

export interface Mounted {
  height: number;
  canvas?: { current: HTMLCanvasElement | null };
}

interface Making<P> {
  options: (latest: { current: P }, width: number) => uPlot.Options;
  data: (props: P) => uPlot.AlignedData;
  /** A place was clicked. uPlot keeps the click that ends a drag to itself. */
  onClick?: (props: P, x: number) => void;
  /** What a plot has beside that; gives what ends it. */
  begin?: (plot: uPlot, latest: { current: P }) => () => void;
}

/** Where the plot goes, and the plot while it is there. */
export function usePlot<P extends Mounted>(props: P, making: Making<P>, anew: Inputs) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [turn, setTurn] = useState(0);
  useEffect(() => onTheme(() => setTurn((n) => n + 1)), []);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const made = new uPlot(making.options(latest, element.clientWidth || 600), making.data(latest.current), element);
    plot.current = made;
    made.over.addEventListener("click", (event) => making.onClick?.(latest.current, made.posToVal(event.offsetX, "x")));
    if (latest.current.canvas) latest.current.canvas.current = made.ctx.canvas;
    const resize = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: latest.current.height }));
    resize.observe(element);
    const end = making.begin?.(made, latest);
    return () => {
      end?.();
      resize.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [...anew, props.height, turn]);
  return { place, plot };
}

/** Puts the line of the cursor over a value of x; away if there is none. */
export function putCursor(plot: uPlot, at: number | null | undefined) {
  const left = at == null ? -10 : plot.valToPos(at, "x");
  if (Math.abs((plot.cursor.left ?? -10) - left) > 0.5) plot.setCursor({ left, top: 0 }, false);
}

/** The range that was dragged over; none if that was a click. */
export function dragged(plot: uPlot): { from: number; to: number } | null {
  const { left, width } = plot.select;
  if (width < 6) return null;
  const range = { from: plot.posToVal(left, "x"), to: plot.posToVal(left + width, "x") };
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  return range;
}

/** How one goes over a plot: along x alone, and twice for all of it. */
export function cursorOf(whole: () => void, points: uPlot.Cursor.Points): uPlot.Cursor {
  return { y: false, drag: { x: true, y: false, setScale: false, dist: 6 }, points, bind: { dblclick: () => () => { whole(); return null; } } };
}
