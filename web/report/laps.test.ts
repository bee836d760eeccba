import { expect, it } from "vitest";
import type { LapLines } from "./data";
import { rows, timesOfRows } from "./laps";

const packed = (count: number) => ({ first: 0, step: 1, count, width: 2, data: "" });

it("rows lie at the places and between them, and the last place is the line", () => {
  const lines: LapLines = { tape_lap: 1, length_m: 12, step_m: 5, time_ms: packed(4), channels: {}, corners: [] };
  expect(rows(lines)).toEqual([0, 2.5, 5, 7.5, 10, 11, 12]);
});

it("times between two places are those in the middle, and unknown stays unknown", () => {
  expect(timesOfRows([0, 100, null, 300])).toEqual([0, 50, 100, null, null, null, 300]);
});
