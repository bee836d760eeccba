import { expect, it } from "vitest";
import type { LapLines } from "./data";
import type { Report } from "./data";
import { type Kept, comparable, fitted, rows, shareAt, timesOfRows } from "./laps";

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

it("laps of two tapes are comparable if their lengths agree within 3 %, laps of one tape if they are on the same track", () => {
  const of = (report: Report, length_m: number): Kept => ({ report, lap: {} as Kept["lap"], lines: { tape_lap: 1, length_m, step_m: 5, time_ms: packed(1), channels: {}, corners: [] } });
  const [a, b] = [{} as Report, {} as Report];
  expect([comparable(of(a, 5000), of(b, 5100)), comparable(of(a, 5000), of(b, 5200)), comparable(of(a, 5000), of(a, 5000)), comparable(of(a, 5000), of(a, 5001))]).toEqual([true, false, true, false]);
});

it("values of a lap of another length are taken at the same fraction of the lap", () => {
  expect(fitted([0, 5, 10], [0, 50, 100], [0, 3, 6, 12], true)).toEqual([0, 25, 50, 100]);
  expect(fitted([0, 5, 10], [1, 2, 3], [0, 1, 4, 5, 10], false)).toEqual([1, 1, 2, 2, 3]);
  expect(fitted([0, 5, 10], [0, null, 100], [0, 3, 6, 9, 12], true)).toEqual([0, null, null, null, 100]);
  expect(fitted([], [], [0, 1], true)).toEqual([null, null]);
});
