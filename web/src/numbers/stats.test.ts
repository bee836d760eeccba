import { expect, it } from "vitest";
import { bestSectors, countingTimes, median, paceTimes, quantile, spread, theoreticalBest } from "./stats";

const lap = (time_ms: number | null, sectors_ms: (number | null)[], more: object = {}) => ({
  time_ms, sectors_ms, eligible: true, excluded: false, deleted_utc: null, ...more,
});

it("quantiles are interpolated, and an empty list has none", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(quantile([0, 10], 0.25)).toBe(2.5);
  expect(median([])).toBeNull();
});

it("the spread needs three laps and is robust to one outlier", () => {
  expect(spread([90_000, 90_100])).toBeNull();
  const even = [90_000, 90_100, 90_200, 90_300, 90_400];
  expect(spread(even)).toBe(200);
  expect(spread([...even, 140_000]) as number).toBeLessThan(400);
});

it("laps that do not count are ignored", () => {
  const laps = [lap(90_000, [40_000, 50_000]), lap(80_000, [30_000, 50_000], { excluded: true }), lap(81_000, [31_000, 50_000], { eligible: false })];
  expect(countingTimes(laps)).toEqual([90_000]);
  expect(bestSectors(laps)).toEqual([40_000, 50_000]);
});

it("the theoretical best is the sum of best sectors, or unknown if a sector is", () => {
  expect(theoreticalBest([lap(90_000, [40_000, 50_000]), lap(89_000, [41_000, 48_000])])).toBe(88_000);
  expect(theoreticalBest([lap(90_000, [40_000, null])])).toBeNull();
  expect(theoreticalBest([])).toBeNull();
});

it("slow laps are excluded from pace", () => {
  expect(paceTimes([100_000, 106_000, 108_000])).toEqual([100_000, 106_000]);
});
