// Interpolates the car for each animation frame. Messages arrive 20 to 60 times a second at uneven intervals; the screen refreshes
// 60 times a second or more. Moving values (speed, pedals, position) are interpolated between the last two messages, at the cost of
// one message interval of latency. Timers are extrapolated, and stop when messages stop.

import { useEffect, useRef } from "preact/hooks";
import { feed } from "./feed";
import type { Car, State } from "./messages";

/** Without messages for this long the state is stale, whatever the last message said. */
const STALE_MS = 2500;
/** The longest extrapolation of timers. */
const EXTRAPOLATE_MS = 400;

export interface Frame {
  car: Car;
  state: State;
  /** The time of the current lap, extrapolated to now. */
  lapMs: number | null;
  speed: number | null;
  rpm: number | null;
  throttle: number | null;
  brake: number | null;
  clutch: number | null;
  steering: number | null;
  world: [number, number, number] | null;
  share: number | null;
}

const between = (a: number | null | undefined, b: number | null | undefined, at: number): number | null => {
  if (typeof b !== "number") return null;
  return typeof a === "number" ? a + (b - a) * at : b;
};

export class Interpolator {
  private before: Car | null = null;
  private last: Car | null = null;
  private lastAt = 0;
  private gapMs = 33;

  add(car: Car, now: number) {
    if (this.last) {
      const gap = Math.min(now - this.lastAt, 250);
      this.gapMs += (gap - this.gapMs) * 0.1;
    }
    // Do not interpolate across a change of session or state.
    this.before = this.last && this.last.session === car.session && this.last.state === car.state ? this.last : null;
    this.last = car;
    this.lastAt = now;
  }

  /** Returns the car interpolated to `now`, or null before the first message. */
  frame(now: number): Frame | null {
    const car = this.last;
    if (!car) return null;
    const old = this.before;
    const age = now - this.lastAt;
    const at = Math.min(1, age / Math.max(this.gapMs, 8));
    const state: State = car.state === "driving" && age > STALE_MS ? "stale" : car.state;
    const world = car.world_m
      ? (car.world_m.map((value, axis) => between(jumped(old, car) ? null : old?.world_m?.[axis], value, at)) as [number, number, number])
      : null;
    const lap = car.lap?.time_ms;
    const wraps = (old?.lap?.share ?? 0) > (car.lap?.share ?? 0);
    return {
      car, state, world,
      lapMs: typeof lap === "number" ? lap + (state === "driving" ? Math.min(age, EXTRAPOLATE_MS) : 0) : null,
      speed: between(old?.speed_kmh, car.speed_kmh, at),
      rpm: between(old?.rpm, car.rpm, at),
      throttle: between(old?.throttle, car.throttle, at),
      brake: between(old?.brake, car.brake, at),
      clutch: between(old?.clutch, car.clutch, at),
      steering: between(steering(old), steering(car), at),
      share: between(wraps ? null : old?.lap?.share, car.lap?.share, at),
    };
  }
}

function jumped(old: Car | null, car: Car): boolean {
  if (!old?.world_m || !car.world_m) return true;
  return Math.hypot(car.world_m[0] - old.world_m[0], car.world_m[2] - old.world_m[2]) > 60;
}

/** Returns the steering from −1 to 1. An angle is scaled to a lock of 1.25 turns (7.85 rad) to each side. */
export function steering(car: Car | null): number | null {
  if (typeof car?.steering === "number") return car.steering;
  if (typeof car?.steering_rad === "number") return Math.max(-1, Math.min(1, car.steering_rad / 7.85));
  return null;
}

type Draw = (frame: Frame | null, now: number) => void;
const drawers = new Set<Draw>();
const interpolator = new Interpolator();
let running = false;

function tick(now: number) {
  if (drawers.size === 0) {
    running = false;
    return;
  }
  const frame = feed.car ? interpolator.frame(now) : null;
  for (const draw of drawers) draw(frame, now);
  requestAnimationFrame(tick);
}

/** Calls `draw` on every animation frame. `draw` updates the DOM directly, so that no component renders 60 times a second. */
export function useFrame(draw: Draw): void {
  const latest = useRef(draw);
  latest.current = draw;
  useEffect(() => {
    const run: Draw = (frame, now) => latest.current(frame, now);
    drawers.add(run);
    if (!running) {
      running = true;
      requestAnimationFrame(tick);
    }
    return () => {
      drawers.delete(run);
    };
  }, []);
}

/** Subscribes to `car` messages while the component is mounted. */
export function useCar(hz = 60): void {
  useEffect(() => feed.onCar(hz, (car) => interpolator.add(car, performance.now())), [hz]);
}
