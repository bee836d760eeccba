import { expect, it } from "vitest";
import { fit, pointAt, type Point } from "./outline";

const line: Point[] = [[0, 0], [100, 0], [100, 10], [0, 10]];

it("a track is fitted to the picture at one scale for both axes", () => {
  const fitted = fit(line, 220, 100, 10);
  expect(fitted?.at(0, 0)).toEqual([10, 40]);
  expect(fitted?.at(100, 10)).toEqual([210, 60]);
});

it("a wide track is rotated for a tall picture", () => {
  const fitted = fit(line, 100, 220, 10);
  const [a, b] = [fitted?.at(0, 0) as Point, fitted?.at(100, 0) as Point];
  expect(Math.abs(a[1] - b[1])).toBeCloseTo(200);
});

it("too few points give no track", () => {
  expect(fit([[1, 1]], 100, 100, 5)).toBeNull();
  expect(fit([[Number.NaN, 1], [2, 2]], 100, 100, 5)).toBeNull();
  expect(pointAt([], 0.5)).toBeNull();
});

it("a lap fraction is interpolated between points, and the outline is closed", () => {
  const square: Point[] = [[0, 0], [10, 0], [10, 10], [0, 10]];
  expect(pointAt(square, 0.125)).toEqual([5, 0]);
  expect(pointAt(square, 0.875)).toEqual([0, 5]);
  expect(pointAt(square, 1)).toEqual([0, 0]);
  expect(pointAt(square, -0.25)).toEqual([0, 10]);
});
