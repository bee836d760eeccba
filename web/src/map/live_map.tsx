// The live track map. Shows the outline learned by the server, or the driven line until the server has one.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Schemas, fetchJson } from "../api/client";
import { useFrame } from "../live/frame";
import { type Point, fit, marks, pointAt } from "./outline";

const [W, H] = [400, 320];

export type Outline = Schemas["OutlineAnswer"];

export function useOutline(game?: string | null, track?: string | null, layout?: string | null, learned = true, again = 0): Outline | null {
  const [outline, setOutline] = useState<Outline | null>(null);
  useEffect(() => {
    if (!game || !track || !learned) {
      setOutline(null);
      return undefined;
    }
    const stop = new AbortController();
    // The server has no outline until a lap of the track was completed.
    fetchJson<Outline>("/tracks/outline", { game, track, layout }, { signal: stop.signal }).then(setOutline, () => {});
    return () => stop.abort();
  }, [game, track, layout, learned, again]);
  return outline;
}

export const pointsOf = (outline: Outline | null): Point[] =>
  (outline?.outline_m ?? []).flatMap(([x, , z]) => (x === undefined || z === undefined ? [] : [[x, z] as const]));

export function LiveMap({ outline, fresh }: { outline: Outline | null; fresh: string }) {
  const learned = useMemo(() => pointsOf(outline), [outline]);
  const trail = useRef<Point[]>([]);
  const [driven, setDriven] = useState<Point[]>([]);
  const dot = useRef<SVGGElement>(null);
  const points = learned.length > 2 ? learned : driven;
  const fitted = useMemo(() => fit(points, W, H, 18), [points]);
  const closed = learned.length > 2;

  useEffect(() => {
    trail.current = [];
    setDriven([]);
  }, [fresh]);
  useEffect(() => {
    if (closed) return undefined;
    const timer = setInterval(() => setDriven([...trail.current]), 700);
    return () => clearInterval(timer);
  }, [closed, fresh]);

  useFrame((frame) => {
    const here = frame?.world ? ([frame.world[0], frame.world[2]] as const) : frame?.share != null ? pointAt(learned, frame.share) : null;
    if (frame?.world && !closed) follow(trail.current, frame.world);
    const pixel = here && fitted ? fitted.at(here[0], here[1]) : null;
    dot.current?.setAttribute("visibility", pixel ? "visible" : "hidden");
    if (pixel) dot.current?.setAttribute("transform", `translate(${pixel[0].toFixed(2)} ${pixel[1].toFixed(2)})`);
  });

  const ticks = closed && fitted ? marks(learned, outline?.sector_ends ?? [], fitted.at) : [];
  return (
    <svg class="map" viewBox={`0 0 ${W} ${H}`} role="img" aria-label="Track map with the car">
      {fitted && <path d={fitted.path + (closed ? "Z" : "")} class="road" />}
      {fitted && <path d={fitted.path + (closed ? "Z" : "")} class="road-line" />}
      {ticks.map((tick, n) => <path key={n} d={tick} class={n === 0 ? "tick start" : "tick"} />)}
      <g ref={dot} visibility="hidden"><circle r="9" class="halo" /><circle r="5.5" class="me" /></g>
      {!fitted && <text x={W / 2} y={H / 2} text-anchor="middle" class="map-none">The map is drawn as you drive</text>}
    </svg>
  );
}

/** Appends a position to the trail if the car moved at least 6 m. A jump of more than 150 m restarts the trail. */
function follow(trail: Point[], world: readonly [number, number, number]) {
  const last = trail[trail.length - 1];
  const far = last ? Math.hypot(world[0] - last[0], world[2] - last[1]) : Infinity;
  if (far < 6) return;
  if (far > 150) trail.length = 0;
  if (trail.length > 3000) trail.shift();
  trail.push([world[0], world[2]]);
}
