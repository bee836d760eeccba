import { expect, it } from "vitest";
import { values } from "./data";
import { pointsOf, tapeTime, valueAt, windowOf } from "./window";

const span = { from: 0, stretch: 0.1, stretches: 60_000 };
const flat = (length: number) => new Float64Array(2 * length).fill(5);

it("a spike of one stretch survives every zoom level, at its time", () => {
  const line = flat(60_000);
  line[2 * 31_234] = 99;
  line[2 * 31_234 + 1] = -7;
  for (const [from, to] of [[0, 6000], [3000, 3300], [3120, 3127]] as const) {
    const window = windowOf(span, from, to);
    const points = pointsOf(line, 0, window);
    const at = points.indexOf(99);
    expect(window.x.length).toBe(points.length);
    expect(Math.abs((window.x[at] as number) - 3123.4)).toBeLessThan(window.size * span.stretch);
    // The spike precedes the dip.
    expect(points[at + 1]).toBe(-7);
    expect(points.filter((value) => value !== 5).length).toBe(2);
  }
});

it("a coarse channel is resampled to the points of the window", () => {
  const line = flat(60_000 / 16);
  line[2 * 100 + 1] = 50;
  const window = windowOf(span, 155, 165);
  const points = pointsOf(line, 4, window);
  const times = window.x.filter((_, n) => points[n] === 50);
  expect(Math.min(...times)).toBeGreaterThan(160.75);
  expect(Math.max(...times)).toBeLessThan(161.6);
  expect(pointsOf(line, 4, windowOf(span, 0, 6000)).filter((value) => value === 50).length).toBe(1);
});

it("unknown values leave a gap, and windows are clamped to the tape", () => {
  const line = flat(60_000).fill(Number.NaN, 2000, 4000);
  const points = pointsOf(line, 0, windowOf(span, 90, 250));
  expect(points.includes(null) && points.includes(5)).toBe(true);
  expect(pointsOf(line, 0, windowOf(span, -50, 1e9)).length).toBeLessThan(2100);
  expect(valueAt(line, 0, span, 150)).toBeNull();
  expect(valueAt(line, 0, span, 50)).toBe(5);
  expect(valueAt(undefined, 0, span, 50)).toBeNull();
});

it("columns are decoded", async () => {
  // 0, 1, 65534 and unknown in 16 bits: differences 0, 1, 65533, 1; low bytes, then high ones.
  const planes = new Uint8Array([0, 1, 0xfd, 1, 0, 0, 0xff, 0]);
  const stream = new Blob([planes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const data = btoa(String.fromCharCode(...new Uint8Array(await new Response(stream).arrayBuffer())));
  expect([...(await values({ first: -1, step: 0.5, count: 4, width: 2, data }))]).toEqual([-1, -0.5, 32_766, Number.NaN]);
});

it("tape times are formatted", () => {
  expect([tapeTime(0), tapeTime(62.54, 1), tapeTime(3723), tapeTime(59.96, 1)]).toEqual(["0:00", "1:02.5", "1:02:03", "1:00.0"]);
});
