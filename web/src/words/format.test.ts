import { describe, expect, it } from "vitest";
import { bytes, delta, deltaClass, fixed, gear, lapTime, moment, sectorTime } from "./format";

describe("times", () => {
  it("are m:ss.mmm, with hours when there are any", () => {
    expect(lapTime(83_456)).toBe("1:23.456");
    expect(lapTime(59_999)).toBe("0:59.999");
    expect(lapTime(3_723_004)).toBe("1:02:03.004");
    expect(lapTime(0)).toBe("0:00.000");
  });
  it("are truncated, so that a running timer shows no second early", () => {
    expect(lapTime(59_999, 1)).toBe("0:59.9");
  });
  it("that are unknown are a dash, never 0", () => {
    for (const text of [lapTime(null), lapTime(undefined), lapTime(Number.NaN), sectorTime(null), delta(null), fixed(null), gear(null)]) {
      expect(text).toBe("–");
    }
  });
  it("of sectors have minutes only when needed", () => {
    expect(sectorTime(31_204)).toBe("31.204");
    expect(sectorTime(62_204)).toBe("1:02.204");
  });
});

describe("deltas", () => {
  it("are + when slower and − when faster", () => {
    expect(delta(123)).toBe("+0.123");
    expect(delta(-1_500)).toBe("−1.500");
    expect(delta(0)).toBe("±0.000");
    expect(delta(-2, 2)).toBe("±0.00");
    expect([deltaClass(4, 2), deltaClass(5), deltaClass(-5), deltaClass(0), deltaClass(null)]).toEqual(["", "slower", "faster", "", ""]);
  });
});

describe("other numbers", () => {
  it("are formatted for people", () => {
    expect([gear(-1), gear(0), gear(4)]).toEqual(["R", "N", "4"]);
    expect(bytes(1_540_000)).toBe("1.5 MB");
    expect(fixed(-0.04, 1)).toBe("0.0");
    expect(fixed(-3.14, 1)).toBe("−3.1");
  });
  it("say today and yesterday", () => {
    const now = new Date(2026, 2, 1, 18, 0);
    expect(moment(new Date(2026, 2, 1, 12, 3).toISOString(), now)).toBe("today 12:03");
    expect(moment(new Date(2026, 1, 28, 9, 30).toISOString(), now)).toBe("yesterday 09:30");
    expect(moment(new Date(2026, 1, 2, 9, 30).toISOString(), now)).toBe("2026-02-02 09:30");
  });
});
