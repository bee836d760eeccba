// Mounts a uPlot chart in a component: keeps it as wide as its container, and recreates it when its dependencies or the theme change.

import { type Inputs, useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { onTheme } from "../app/theme";

export interface Mounted {
  height: number;
  canvas?: { current: HTMLCanvasElement | null };
}

interface PlotSpec<P> {
  options: (latest: { current: P }, width: number) => uPlot.Options;
  data: (props: P) => uPlot.AlignedData;
  /** Called with the x value of a click. uPlot suppresses the click that ends a drag. */
  onClick?: (props: P, x: number) => void;
  /** Called after the plot was created. Returns a cleanup function. */
  attach?: (plot: uPlot, latest: { current: P }) => () => void;
}

/** Creates a plot. Returns a ref for its container, and a ref to the plot while it is mounted. */
export function usePlot<P extends Mounted>(props: P, spec: PlotSpec<P>, deps: Inputs) {
  const container = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const [version, setVersion] = useState(0);
  useEffect(() => onTheme(() => setVersion((n) => n + 1)), []);
  useEffect(() => {
    const element = container.current;
    if (!element) return undefined;
    const made = new uPlot(spec.options(latest, element.clientWidth || 600), spec.data(latest.current), element);
    plot.current = made;
    made.over.addEventListener("click", (event) => spec.onClick?.(latest.current, made.posToVal(event.offsetX, "x")));
    if (latest.current.canvas) latest.current.canvas.current = made.ctx.canvas;
    const resize = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: latest.current.height }));
    resize.observe(element);
    const end = spec.attach?.(made, latest);
    return () => {
      end?.();
      resize.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [...deps, props.height, version]);
  return { container, plot };
}

/** Moves the cursor line to an x value, or hides it if there is none. */
export function putCursor(plot: uPlot, at: number | null | undefined) {
  const left = at == null ? -10 : plot.valToPos(at, "x");
  if (Math.abs((plot.cursor.left ?? -10) - left) > 0.5) plot.setCursor({ left, top: 0 }, false);
}

/** Returns the range selected by a drag and clears the selection. Null if the drag was shorter than 6 px. */
export function dragged(plot: uPlot): { from: number; to: number } | null {
  const { left, width } = plot.select;
  if (width < 6) return null;
  const range = { from: plot.posToVal(left, "x"), to: plot.posToVal(left + width, "x") };
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  return range;
}

/** Returns the cursor options: drag selects along x only, and a double-click calls `reset`. */
export function cursorOf(reset: () => void, points: uPlot.Cursor.Points): uPlot.Cursor {
  return { y: false, drag: { x: true, y: false, setScale: false, dist: 6 }, points, bind: { dblclick: () => () => { reset(); return null; } } };
}
