import { expect, it } from "vitest";
import { type Described, INTERVALS, document, overviewLines, pairs, usual } from "./stages";

const channel = (name: string, type = "f32", count = 1) => ({ name, type, count, unit: null });
const stream = (name: string, channels: ReturnType<typeof channel>[], first_ns: number | null = 0, last_ns: number | null = 10e9, role = "data") =>
  ({ name, role, frames: first_ns === null ? 0 : 100, first_ns, last_ns, channels });
const described = (streams: Described["streams"]): Described =>
  ({ created_utc: null, duration_ns: 10e9, complete: true, game: "assetto-corsa", metadata: { track: "spa" }, streams, problems: [] });

it("a description is a report without sessions, and unknown stays unknown", () => {
  const events = { events: [{ kind: "mark", at_ns: 5, text: "here" }, { kind: "gap", at_ns: 6, text: "" }] };
  expect(document(described([]), events, "a.gtape")).toMatchObject({ file: "a.gtape", track: "spa", car: null, driver: null, sessions: [], marks: [{ at_ns: 5, text: "here" }] });
});

it("the overview begins with what people look at first, and leaves out texts, arrays and streams without frames", () => {
  const streams = [stream("graphics", [channel("track", "char", 20), channel("lap", "i32")]), stream("physics", [channel("heading"), channel("wheelSlip", "f32", 4), channel("gear", "i32"), channel("speedKmh")]), stream("empty", [channel("brake")], null), stream("about", [channel("gas")], 0, 1, "describe")];
  expect(usual(streams).map(({ name }) => name)).toEqual(["speedKmh", "gear", "heading"]);
});

it("channels that never change are left out of the overview, and a stream that begins late keeps its place", () => {
  const lines = overviewLines(described([stream("physics", [channel("speedKmh"), channel("brake")]), stream("late", [channel("rpm")], 5e9)]), (of, name, _from, _to, count) => {
    const from = of === "late" ? 5 : 0;
    const starts_s = Float64Array.from({ length: count }, (_, n) => from + (n * (10 - from)) / count);
    return { starts_s, least: starts_s.map((time) => (name === "brake" ? 1 : time)), largest: starts_s.map((time) => (name === "brake" ? 1 : time + 0.5)) };
  });
  expect(lines.channels.map(({ name }) => name)).toEqual(["speedKmh", "rpm"]);
  expect(lines).toMatchObject({ from_ns: 0, stretch_ns: 10e9 / INTERVALS, stretches: INTERVALS });
  const [speed, rpm] = lines.channels.map(({ raw }) => raw as Float64Array) as [Float64Array, Float64Array];
  expect([speed[0], speed[1]]).toEqual([0, 0.5]);
  expect(rpm[INTERVALS - 2]).toBeNaN();
  expect(rpm[INTERVALS]).toBeCloseTo(5);
});

it("extremes of other intervals are merged into those of the page, and none is lost", () => {
  const found = pairs({ starts_s: Float64Array.from([0, 1]), least: Float64Array.from([3, Number.NaN]), largest: Float64Array.from([9, Number.NaN]) }, 0, 0.5);
  expect([...found.slice(0, 6)]).toEqual([3, 9, 3, 9, Number.NaN, Number.NaN]);
});

it("a tape without frames has no overview", () => {
  expect(overviewLines(described([stream("physics", [channel("speedKmh")], null)]), () => null).channels).toEqual([]);
});
