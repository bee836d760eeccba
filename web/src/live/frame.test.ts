import { expect, it } from "vitest";
import { Interpolator, steering } from "./frame";
import type { Car } from "./messages";

const car = (more: Partial<Car>): Car => ({ state: "driving", session: "s", ...more });

it("values are interpolated between the last two messages", () => {
  const interpolator = new Interpolator();
  interpolator.add(car({ speed_kmh: 100 }), 0);
  interpolator.add(car({ speed_kmh: 110 }), 33);
  expect(interpolator.frame(33)?.speed).toBe(100);
  expect(interpolator.frame(33 + 16.5)?.speed).toBeCloseTo(105, 0);
  expect(interpolator.frame(33 + 500)?.speed).toBe(110);
});

it("the lap timer is extrapolated briefly, and stops when messages stop", () => {
  const interpolator = new Interpolator();
  interpolator.add(car({ lap: { time_ms: 1000 } }), 0);
  expect(interpolator.frame(50)?.lapMs).toBe(1050);
  expect(interpolator.frame(2000)?.lapMs).toBe(1400);
  expect(interpolator.frame(3000)?.state).toBe("stale");
  expect(interpolator.frame(3000)?.lapMs).toBe(1000);
});

it("the lap timer stops while the game is paused", () => {
  const interpolator = new Interpolator();
  interpolator.add(car({ state: "paused", lap: { time_ms: 1000 } }), 0);
  expect(interpolator.frame(300)?.lapMs).toBe(1000);
});

it("unknown stays unknown", () => {
  const interpolator = new Interpolator();
  expect(interpolator.frame(0)).toBeNull();
  interpolator.add(car({ speed_kmh: null }), 0);
  expect(interpolator.frame(5)?.speed).toBeNull();
  expect(steering(car({}))).toBeNull();
});

it("a teleported car is not interpolated", () => {
  const interpolator = new Interpolator();
  interpolator.add(car({ world_m: [0, 0, 0] }), 0);
  interpolator.add(car({ world_m: [900, 0, 0] }), 33);
  expect(interpolator.frame(34)?.world).toEqual([900, 0, 0]);
});
