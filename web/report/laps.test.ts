import { expect, it } from "vitest";
import type { LapLines } from "./data";
import { rows, shareAt, timesOfRows } from "./laps";

const packed = (count: number) => ({ first: 0, step: 1, count, width: 2, data: "" });

it("rows are at the sampled distances and halfway between them, and the last row is the finish line", () => {
  const lines: LapLines = { tape_lap: 1, length_m: 12, step_m: 5, time_ms: packed(4), channels: {}, corners: [] };
  expect(rows(lines)).toEqual([0, 2.5, 5, 7.5, 10, 11, 12]);
});

it("times between two samples are interpolated, and unknown stays unknown", () => {
  expect(timesOfRows([0, 100, null, 300])).toEqual([0, 50, 100, null, null, null, 300]);
});

it("a time maps to a lap fraction, also where samples are missing", () => {
  const lap = { from: 10, to: 14, step_m: 100, length_m: 400, times: Float64Array.from([0, 1000, Number.NaN, 3000, 4000]) };
  expect([10, 10.5, 12, 13, 13.999].map((at) => shareAt([lap], at)?.toFixed(3))).toEqual(["0.000", "0.125", "0.500", "0.750", "1.000"]);
  expect([9.9, 14].map((at) => shareAt([lap], at))).toEqual([null, null]);
  expect(shareAt([{ ...lap, times: Float64Array.from([Number.NaN]) }], 11)).toBeNull();
});
