// The track map over time: the learned outline, or the driven line if there is none, with the plots' cursor on it.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Point, fit, marks, pathOf, pointAt } from "../src/map/outline";
import type { CursorLine, Range } from "../src/plots/trace";
import { type Report, type ReportSession, outlineOf, values } from "./data";
import { type TimedLap, shareAt, timedLaps } from "./laps";
import { type Span, type Window, valueAt } from "./window";

const [W, H] = [420, 330];
const MOST_POINTS = 1500;
const NO_MAP = "No track map: the game reports no positions, and the tape has no complete lap to draw the track from.";

interface Props { report: Report; session: ReportSession | null; span: Span; range: Range; window: Window; cursor: CursorLine; onPin: (seconds: number) => void }

export function TimeMap({ report, session, span, range, window, cursor, onPin }: Props) {
  const [positions, setPositions] = useState<{ x: Float64Array; z: Float64Array; shift: number } | null>(null);
  const [laps, setLaps] = useState<TimedLap[] | null>(null);
  const dot = useRef<SVGGElement>(null);
  useEffect(() => {
    const of = (name: string) => report.lines.channels.find((channel) => channel.name === name);
    const [x, z] = [of("x_m"), of("z_m")];
    if (x && z) void Promise.all([values(x), values(z)]).then(([xs, zs]) => setPositions({ x: xs, z: zs, shift: x.shift }));
    // Without positions, place the car on the outline by its lap fraction.
    else void timedLaps(report).then(setLaps);
  }, [report]);
  const outline = outlineOf(report, session);
  const at = (time: number): Point | null => {
    if (laps) { const share = shareAt(laps, time); return share === null ? null : pointAt(outline, share); }
    const [x, z] = [valueAt(positions?.x, positions?.shift ?? 0, span, time), valueAt(positions?.z, positions?.shift ?? 0, span, time)];
    return x === null || z === null ? null : [x, z];
  };
  const driven = (from: number, to: number): Point[] => {
    const points = Math.min(MOST_POINTS, Math.ceil((to - from) / span.stretch));
    return Array.from({ length: points }, (_, n) => at(from + ((n + 0.5) / points) * (to - from))).filter((point): point is Point => point !== null);
  };
  const closed = outline.length > 2;
  const base = useMemo(() => (closed ? outline : driven(span.from, span.from + span.stretch * span.stretches)), [outline, positions, span]);
  const fitted = useMemo(() => fit(base, W, H, 16), [base]);
  const zoomed = range.to - range.from < 0.98 * span.stretch * span.stretches;
  const part = useMemo(() => (zoomed && fitted ? pathOf(driven(range.from, range.to).map(([x, z]) => fitted.at(x, z))) : ""), [fitted, range.from, range.to, positions, laps]);

  useEffect(() => {
    const move = (index: number | null) => {
      const time = index === null ? undefined : window.x[index];
      const point = time === undefined ? null : at(time);
      const pixel = point && fitted?.at(point[0], point[1]);
      dot.current?.setAttribute("visibility", pixel ? "visible" : "hidden");
      if (pixel) dot.current?.setAttribute("transform", `translate(${pixel[0].toFixed(1)} ${pixel[1].toFixed(1)})`);
    };
    move(cursor.index);
    return cursor.on(move);
  }, [positions, laps, fitted, window, cursor]);

  if (!fitted) return <p class="soft none">{positions || laps ? NO_MAP : "…"}</p>;
  const pick = (event: MouseEvent) => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect();
    const scale = Math.min(box.width / W, box.height / H);
    const [x, y] = [(event.clientX - box.left - (box.width - W * scale) / 2) / scale, (event.clientY - box.top - (box.height - H * scale) / 2) / scale];
    let nearest = { far: 25, time: Number.NaN };
    for (const time of window.x) {
      const point = at(time);
      const pixel = point && fitted.at(point[0], point[1]);
      const far = pixel ? Math.hypot(pixel[0] - x, pixel[1] - y) : Infinity;
      if (far < nearest.far) nearest = { far, time };
    }
    if (Number.isFinite(nearest.time)) onPin(nearest.time);
  };
  const ticks = closed ? marks(outline, sectorEnds(report, session), fitted.at) : [];
  const path = fitted.path + (closed ? "Z" : "");
  return (
    <svg class="map" viewBox={`0 0 ${W} ${H}`} role="img" aria-label="Track map with the car position" onClick={pick}>
      <path d={path} class="road" />
      {part && <path d={part} class="road-part" />}
      <path d={path} class="road-line" />
      {ticks.map((tick, n) => <path key={n} d={tick} class={n === 0 ? "tick start" : "tick"} />)}
      <g ref={dot} visibility="hidden"><circle r="9" class="halo" /><circle r="5.5" class="me" /></g>
    </svg>
  );
}

const sectorEnds = (report: Report, session: ReportSession | null): (number | null)[] =>
  report.tracks.find((one) => session && one.track === session.track && one.layout === session.layout)?.sector_ends ?? [];
