// What is drawn at this moment: messages come 20 to 60 times a second and not evenly; the screen asks 60 times or more. Values that move
// (speed, pedals, place) are drawn a little late, between the last two messages; clocks run on by themselves, and stop when
// messages stop coming.

import { useEffect, useRef } from "preact/hooks";
import { feed } from "./feed";
import type { Car, State } from "./messages";

/** A game that says nothing for so long is stale, whatever the server says. */
const STALE_MS = 2500;
/** Clocks run on by themselves for so long. */
const RUN_ON_MS = 400;

export interface Frame {
  car: Car;
  state: State;
  /** The running lap's time now. */
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

export class Smoother {
  private before: Car | null = null;
  private last: Car | null = null;
  private lastAt = 0;
  private gapMs = 33;

  add(car: Car, now: number) {
    if (this.last) {
      const gap = Math.min(now - this.lastAt, 250);
      this.gapMs += (gap - this.gapMs) * 0.1;
    }
    // Over a change of session or a jump nothing is between.
    this.before = this.last && this.last.session === car.session && this.last.state === car.state ? this.last : null;
    this.last = car;
    this.lastAt = now;
  }

  /** The car as it is to be drawn now. */
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
      lapMs: typeof lap === "number" ? lap + (state === "driving" ? Math.min(age, RUN_ON_MS) : 0) : null,
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

/** −1 to 1; an angle is taken as a share of a turn and a quarter to each side. */
export function steering(car: Car | null): number | null {
  if (typeof car?.steering === "number") return car.steering;
  if (typeof car?.steering_rad === "number") return Math.max(-1, Math.min(1, car.steering_rad / 7.85));
  return null;
}

type Draw = (frame: Frame | null, now: number) => void;
const drawers = new Set<Draw>();
const smoother = new Smoother();
let running = false;

function turn(now: number) {
  if (drawers.size === 0) {
    running = false;
    return;
  }
  const frame = feed.car ? smoother.frame(now) : null;
  for (const draw of drawers) draw(frame, now);
  requestAnimationFrame(turn);
}

/** Calls `draw` for every picture the screen shows. It changes what is there by hand: no component renders 60 times a second. */
export function useFrame(draw: Draw): void {
  const latest = useRef(draw);
  latest.current = draw;
  useEffect(() => {
    const run: Draw = (frame, now) => latest.current(frame, now);
    drawers.add(run);
    if (!running) {
      running = true;
      requestAnimationFrame(turn);
    }
    return () => {
      drawers.delete(run);
    };
  }, []);
}

/** Asks the server for the car as often as the screen can show it. */
export function useCar(hz = 60): void {
  useEffect(() => feed.onCar(hz, (car) => smoother.add(car, performance.now())), [hz]);
}
