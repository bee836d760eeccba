import { expect, it } from "vitest";
import type { Lap } from "../api/client";
import { aroundDays, byDay, noons, sinceLastWeek } from "./progress";

const lap = (at: Date, time_ms: number, more: object = {}): Lap =>
  ({ started_utc: at.toISOString(), time_ms, eligible: true, excluded: false, sectors_ms: [time_ms / 2, time_ms / 2], conditions: {}, ...more }) as unknown as Lap;
const on = (d: number, hour = 12) => new Date(2026, 2, d, hour);

it("laps are grouped by day, without those that do not count", () => {
  const days = byDay([lap(on(2), 91_000), lap(on(1), 90_000), lap(on(1, 13), 92_000), lap(on(1), 80_000, { eligible: false })]);
  expect(days.map((one) => [one.day, one.best, one.median, one.laps])).toEqual([["2026-03-01", 90_000, 91_000, 2], ["2026-03-02", 91_000, 91_000, 1]]);
});

it("the last seven days are compared with all earlier laps", () => {
  const week = sinceLastWeek([lap(on(1), 92_000), lap(on(20), 90_000)], on(21));
  expect([week.lapsBefore, week.lapsNow]).toEqual([1, 1]);
  expect(week.changes[0]).toEqual({ name: "Best", before: 92_000, now: 90_000 });
  expect(week.changes.find((one) => one.name === "Spread")).toEqual({ name: "Spread", before: null, now: null });
});

it("day labels are at noon, where the points are, and no more than fit", () => {
  const noon = (day: number) => new Date(2026, 2, day, 12).getTime() / 1000;
  const [from, to] = aroundDays(noon(27), noon(31));
  // Daylight saving time starts in between in many zones: one day has 23 hours.
  expect(noons(from, to, 10)).toEqual([27, 28, 29, 30, 31].map(noon));
  expect(noons(from, to, 3)).toEqual([27, 29, 31].map(noon));
  const alone = aroundDays(noon(5), noon(5));
  expect(noons(...alone, 10)).toEqual([noon(5)]);
});
