import { expect, test } from "vitest";
import { nearest, pointsOf, spanOf, spanText, tapeTime } from "./tape";

const channel = (max: (number | null)[], step_ns = 1e9) => ({ name: "a", unit: null, from_ns: 0, step_ns, min: max, max });

test("stretches without frames are skipped, and a pause breaks the line", () => {
  expect(pointsOf(channel([1, null, 2, null, null, null, null, 3]), 1).x).toEqual([0.5, 2.5, 7.5]);
  const broken = pointsOf(channel([1, null, 2, null, null, null, null, 3]), 10);
  expect(broken.x).toEqual([0.5, 2.5, 5, 7.5]);
  expect(broken.max).toEqual([1, 2, null, 3]);
});

test("ranges survive the round trip through the URL", () => {
  for (const [text, span] of [["10-20.5", { from: 10, to: 20.5 }], [null, { from: 0, to: 100 }], ["20-10", { from: 0, to: 100 }], ["x", { from: 0, to: 100 }], ["50-500", { from: 50, to: 100 }]] as const) expect(spanOf(text, 100)).toEqual(span);
  expect(spanText({ from: 0, to: 100 }, 100)).toBe(null);
  expect(spanText({ from: -5, to: 40 }, 100)).toBe("0-45");
  expect(spanText({ from: 12.3456, to: 12.3457 }, 100)).toBe("12.346-12.446");
  expect(spanOf(spanText({ from: 10, to: 20 }, 100), 100)).toEqual({ from: 10, to: 20 });
});

test("tape times are formatted", () => {
  expect([tapeTime(0), tapeTime(62.4), tapeTime(3723), tapeTime(62.46, 1)]).toEqual(["0:00", "1:02", "1:02:03", "1:02.5"]);
});

test("the nearest point is found", () => {
  expect([nearest([], 1), nearest([0, 10], 4), nearest([0, 10], 6), nearest([0, 10], 99)]).toEqual([null, 0, 1, 1]);
});
