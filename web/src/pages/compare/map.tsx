// The track map, coloured by where the selected lap loses and gains time, with the plots' cursor on it.

import { useEffect, useMemo, useRef } from "preact/hooks";
import type { CursorLine, Range } from "../../plots/trace";
import { lapColour } from "../../plots/colours";
import { type Point, fit, pathOf } from "../../map/outline";
import { type Comparison, lossAlong, drivenLines } from "./comparison";

const [W, H] = [420, 330];

export function CompareMap({ of, outline, focus, cursor, range, onPin }: {
  of: Comparison; outline: readonly Point[]; focus: number; cursor: CursorLine; range: Range; onPin: (metres: number) => void;
}) {
  const dots = useRef<(SVGGElement | null)[]>([]);
  const lines = useMemo(() => drivenLines(of, outline), [of, outline]);
  const line = lines[0] ?? [];
  const fitted = useMemo(() => fit(line, W, H, 16), [line]);
  const pieces = useMemo(() => lossAlong(of.laps[focus]?.delta_ms ?? [], 6), [of, focus]);

  useEffect(() => {
    const move = (index: number | null) => lines.forEach((points, n) => {
      const point = index === null ? null : points[index];
      const dot = dots.current[n];
      const pixel = point && fitted && Number.isFinite(point[0]) && Number.isFinite(point[1]) ? fitted.at(point[0], point[1]) : null;
      dot?.setAttribute("visibility", pixel ? "visible" : "hidden");
      if (pixel) dot?.setAttribute("transform", `translate(${pixel[0].toFixed(1)} ${pixel[1].toFixed(1)})`);
    });
    move(cursor.index);
    return cursor.on(move);
  }, [lines, fitted, cursor]);

  if (!fitted) return <p class="soft none">No track map: the game reports no positions, and there is no complete lap to draw the track from.</p>;
  const at = (n: number): Point | null => { const point = line[n]; return point && Number.isFinite(point[0]) ? fitted.at(point[0], point[1]) : null; };
  const inside = (n: number) => { const metres = of.distance_m[n] ?? 0; return metres >= range.from && metres <= range.to; };
  const pick = (event: MouseEvent) => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect();
    const scale = Math.min(box.width / W, box.height / H);
    const [x, y] = [(event.clientX - box.left - (box.width - W * scale) / 2) / scale, (event.clientY - box.top - (box.height - H * scale) / 2) / scale];
    let nearest = { far: 30, n: -1 };
    line.forEach((_, n) => { const p = at(n); const far = p ? Math.hypot(p[0] - x, p[1] - y) : Infinity; if (far < nearest.far) nearest = { far, n }; });
    if (nearest.n >= 0) onPin(of.distance_m[nearest.n] as number);
  };
  const zoomed = range.from > 0 || range.to < (of.distance_m[of.distance_m.length - 1] ?? 0);
  return (
    <svg class="map" viewBox={`0 0 ${W} ${H}`} role="img" aria-label="Track map: time lost and gained" onClick={pick}>
      <path d={`${fitted.path}Z`} class="road" />
      {zoomed && <path d={pathOf(line.flatMap((_, n) => { const p = inside(n) ? at(n) : null; return p ? [p] : []; }))} class="road-part" />}
      {pieces.map((piece) => {
        const points = Array.from({ length: piece.to - piece.from + 1 }, (_, n) => at(piece.from + n)).filter((p): p is Point => p !== null);
        const size = Math.abs(piece.loss);
        // Losses are thick, gains thin and dotted, so that the map can be read without colours.
        const tone = size < 0.08 ? "even" : piece.loss > 0 ? "lost" : "won";
        return <path key={piece.from} d={pathOf(points)} class={`loss ${tone}`} stroke-width={tone === "lost" ? 3 + 5 * size : 3} opacity={0.45 + 0.55 * size} />;
      })}
      {of.corners.map((corner) => {
        const n = of.distance_m.findIndex((metres) => metres >= corner.apex_m);
        const pixel = n >= 0 ? at(n) : null;
        return pixel && <text key={corner.n} x={pixel[0] + 9} y={pixel[1] - 7} class="corner-name">{corner.n}</text>;
      })}
      {of.laps.map((lap, n) => (
        <g key={lap.lap.id} ref={(element) => { dots.current[n] = element; }} visibility="hidden"><circle r="6" fill={lapColour(n)} class="lap-place" /></g>
      ))}
    </svg>
  );
}
