import { expect, it } from "vitest";
import { type Comparison, type Corner, extremes, hasPositions, indexAt, lossAlong, rangeOf, shown, drivenLines } from "./comparison";

it("the row nearest to a distance is found", () => {
  const grid = [0, 5, 10, 15];
  expect([indexAt(grid, -3), indexAt(grid, 7), indexAt(grid, 8), indexAt(grid, 99)]).toEqual([0, 1, 2, 3]);
  expect(indexAt([], 5)).toBeNull();
});

it("losses are relative to the largest one, and unknown counts as none", () => {
  expect(lossAlong([0, 100, 50, null], 1).map((piece) => piece.loss)).toEqual([1, -0.5, 0]);
});

it("ranges from the URL are validated", () => {
  expect(rangeOf("100-300", 1000)).toEqual({ from: 100, to: 300 });
  expect(rangeOf("900-5000", 1000)).toEqual({ from: 900, to: 1000 });
  for (const wrong of [null, "", "abc", "5", "300-100", "1-2"]) expect(rangeOf(wrong, 1000)).toEqual({ from: 0, to: 1000 });
});

it("the worst corners come first, and tiny differences do not count", () => {
  const corner = (n: number, lost: number | null): Corner => ({ n, from_m: 0, apex_m: 0, to_m: 0, min_speed_kmh: [], lost_ms: [0, lost] });
  const found = extremes([corner(1, 30), corner(2, 200), corner(3, -50), corner(4, 2), corner(5, null)], 1);
  expect(found.lost.map((one) => one.corner.n)).toEqual([2, 1]);
  expect(found.gained.map((one) => one.corner.n)).toEqual([3]);
});

it("pedals are shown in percent", () => {
  expect(shown("brake", [0.5, null])).toEqual([50, null]);
  expect(shown("rpm", [7000])).toEqual([7000]);
});

it("a lap without positions follows the outline, one with positions its driven line", () => {
  const outline = [[0, 0], [10, 0], [10, 10], [0, 10]] as const;
  const lap = (columns: unknown[]) => ({ columns, delta_ms: [] });
  const of = (columns: unknown[]) => ({ distance_m: [0, 500, 750], length_m: 1000, laps: [lap(columns), lap(columns)] }) as unknown as Comparison;
  expect(drivenLines(of([]), outline)[1]).toEqual([[0, 0], [10, 10], [0, 10]]);
  expect(drivenLines(of([]), [])).toEqual([[], []]);
  const driven = of([{ name: "x_m", unit: "m", values: [1, 2, null] }, { name: "z_m", unit: "m", values: [3, 4, 5] }]);
  expect(drivenLines(driven, outline)[0]).toEqual([[1, 3], [2, 4], [Number.NaN, 5]]);
  expect([hasPositions(driven), hasPositions(of([])), hasPositions(of([{ name: "x_m", unit: "m", values: [null] }]))]).toEqual([true, false, false]);
});
