import { expect, it } from "vitest";
import type { CarStanding } from "../api/client";
import { ended, fastest, gap, nameOf } from "./standings";

const car = (changes: Partial<CarStanding>): CarStanding => ({ car: 3, is_player: false, result: "active", last_sectors_ms: [], ...changes });

it("a gap that the game does not report is a dash, never 0", () => {
  expect([gap(null), gap(undefined), gap(1_234), gap(61_000)]).toEqual(["–", "–", "+1.234", "+61.000"]);
});

it("the fastest car is that with the lowest best time, if any has one", () => {
  expect(fastest([car({ best_ms: 90_000 }), car({ best_ms: null }), car({ best_ms: 89_999 })])).toBe(89_999);
  expect(fastest([car({ best_ms: null }), car({})])).toBeNull();
});

it("a car is named after its driver, or else by its number", () => {
  expect(nameOf(car({ driver: "Driver 1" }))).toBe("Driver 1");
  expect(nameOf(car({ driver: "Driver 1", driver_name: "First" }))).toBe("First");
  expect(nameOf(car({ driver: null }))).toBe("Car 3");
});

it("the result is in words, and nothing while a car drives", () => {
  expect(["active", "unknown", "did_not_finish", "finished"].map(ended)).toEqual(["", "", "did not finish", "finished"]);
});
