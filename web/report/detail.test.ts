import { expect, it } from "vitest";
import { isCoarse, serves, wider } from "./detail";

const span = { from: 0, stretch: 0.05, stretches: 72_000 };
const core = [{ shift: 0 }];
const other = [{ shift: 4 }];

it("stored values are fine until a pixel is narrower than their intervals", () => {
  expect(isCoarse(core, span, { from: 0, to: 3600 })).toBe(false);
  expect(isCoarse(core, span, { from: 100, to: 160 })).toBe(false);
  expect(isCoarse(core, span, { from: 100, to: 110 })).toBe(true);
  expect(isCoarse(other, span, { from: 0, to: 3600 })).toBe(false);
  expect(isCoarse(other, span, { from: 0, to: 300 })).toBe(true);
});

it("more than the visible part is asked for, but nothing outside of the tape", () => {
  expect(wider({ from: 10, to: 20 }, span)).toEqual({ from: 5, to: 25 });
  expect(wider({ from: 0, to: 20 }, span)).toEqual({ from: 0, to: 30 });
  expect(wider({ from: 3590, to: 3600 }, span)).toEqual({ from: 3585, to: 3600 });
});

it("what was fetched serves while it covers the range with these channels, and is finer than what is stored", () => {
  const have = { names: ["rpm", "gear"], range: { from: 5, to: 25 } };
  expect(serves(have, ["rpm"], { from: 5, to: 15 })).toBe(true);
  expect(serves(have, ["rpm"], { from: 4, to: 15 })).toBe(false);
  expect(serves(have, ["rpm", "brake"], { from: 10, to: 20 })).toBe(false);
  expect(serves(have, ["rpm"], { from: 10, to: 12 })).toBe(false);
});
