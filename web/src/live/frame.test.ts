import { expect, it } from "vitest";
import { Smoother, steering } from "./frame";
import type { Car } from "./messages";

const car = (more: Partial<Car>): Car => ({ state: "driving", session: "s", ...more });

it("values are drawn between the last two messages", () => {
  const smoother = new Smoother();
  smoother.add(car({ speed_kmh: 100 }), 0);
  smoother.add(car({ speed_kmh: 110 }), 33);
  expect(smoother.frame(33)?.speed).toBe(100);
  expect(smoother.frame(33 + 16.5)?.speed).toBeCloseTo(105, 0);
  expect(smoother.frame(33 + 500)?.speed).toBe(110);
});

it("the clock of a lap runs on for a moment, and stops with the messages", () => {
  const smoother = new Smoother();
  smoother.add(car({ lap: { time_ms: 1000 } }), 0);
  expect(smoother.frame(50)?.lapMs).toBe(1050);
  expect(smoother.frame(2000)?.lapMs).toBe(1400);
  expect(smoother.frame(3000)?.state).toBe("stale");
  expect(smoother.frame(3000)?.lapMs).toBe(1000);
});

it("a paused clock stands", () => {
  const smoother = new Smoother();
  smoother.add(car({ state: "paused", lap: { time_ms: 1000 } }), 0);
  expect(smoother.frame(300)?.lapMs).toBe(1000);
});

it("unknown stays unknown", () => {
  const smoother = new Smoother();
  expect(smoother.frame(0)).toBeNull();
  smoother.add(car({ speed_kmh: null }), 0);
  expect(smoother.frame(5)?.speed).toBeNull();
  expect(steering(car({}))).toBeNull();
});

it("a car that was put elsewhere does not slide there", () => {
  const smoother = new Smoother();
  smoother.add(car({ world_m: [0, 0, 0] }), 0);
  smoother.add(car({ world_m: [900, 0, 0] }), 33);
  expect(smoother.frame(34)?.world).toEqual([900, 0, 0]);
});
