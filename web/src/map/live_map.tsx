// The track with the car on it. The outline is what the server has learned; until then, the way the car has driven so far.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Schemas, ask } from "../api/client";
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
    // A track that was never driven to its end has none yet.
    ask<Outline>("/tracks/outline", { game, track, layout }, { signal: stop.signal }).then(setOutline, () => {});
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
    const place = here && fitted ? fitted.at(here[0], here[1]) : null;
    dot.current?.setAttribute("visibility", place ? "visible" : "hidden");
    if (place) dot.current?.setAttribute("transform", `translate(${place[0].toFixed(2)} ${place[1].toFixed(2)})`);
  });

  const ticks = closed && fitted ? marks(learned, outline?.sector_ends ?? [], fitted.at) : [];
  return (
    <svg class="map" viewBox={`0 0 ${W} ${H}`} role="img" aria-label="Map of the track with the car">
      {fitted && <path d={fitted.path + (closed ? "Z" : "")} class="road" />}
      {fitted && <path d={fitted.path + (closed ? "Z" : "")} class="road-line" />}
      {ticks.map((tick, n) => <path key={n} d={tick} class={n === 0 ? "tick start" : "tick"} />)}
      <g ref={dot} visibility="hidden"><circle r="9" class="halo" /><circle r="5.5" class="me" /></g>
      {!fitted && <text x={W / 2} y={H / 2} text-anchor="middle" class="map-none">The map is drawn as you drive</text>}
    </svg>
  );
}

/** A point every few metres is enough. */
function follow(trail: Point[], world: readonly [number, number, number]) {
  const last = trail[trail.length - 1];
  const far = last ? Math.hypot(world[0] - last[0], world[2] - last[1]) : Infinity;
  if (far < 6) return;
  if (far > 150) trail.length = 0;
  if (trail.length > 3000) trail.shift();
  trail.push([world[0], world[2]]);
}
