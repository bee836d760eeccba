import { expect, it } from "vitest";
import { type Field, Gathered, held, placeAt, stepsOf } from "./field";
import { hasField } from "./field_read";

const floats = (...values: number[]) => Float64Array.from(values);

it("a value holds until the next one, and before the first there is none", () => {
  expect([...held(floats(1.1, 1.3), floats(100, 200), 1, 5, 0.01)]).toEqual([Number.NaN, 1, 1, 2, 2]);
});

it("things move on a line between two moments, but do not fly across the field when they are put somewhere", () => {
  const thing = { name: "Ball", kind: "ball", team: null, along: Float32Array.from([0, 1, 90, Number.NaN]), across: Float32Array.from([0, 2, 2, Number.NaN]) } as const;
  const field: Field = { from_s: 10, step_s: 0.1, count: 4, things: [thing] };
  expect(placeAt(field, thing, 10.05)?.map((value) => Number(value.toFixed(3)))).toEqual([0.5, 1]);
  expect(placeAt(field, thing, 10.15)).toEqual([1, 2]);
  expect(placeAt(field, thing, 99)).toBeNull();
  expect(placeAt(field, thing, 0)).toEqual([0, 0]);
});

it("a short gap is filled, a long one is not, and values that are no positions are ignored", () => {
  const gathered = new Gathered(0, stepsOf(0, 5));
  gathered.put("player", "Player 1", 0, 0, 5, 6);
  gathered.put("player", "Player 1", 0, 0.5, 7, 8);
  gathered.put("player", "Player 1", 1, 4, 9, 9);
  gathered.put("player", "Player 2", 1, 0, "x", 1);
  gathered.put("player", "Player 2", 1, 0, Number.NaN, 1);
  gathered.put("ball", "Disc", null, 1e9, 1, 1);
  const found = gathered.finish();
  expect(found?.things.map(({ name }) => name)).toEqual(["Player 1", "Disc"]);
  const along = found?.things[0]?.along as Float32Array;
  expect([along[0], along[4], along[5], along[15], along[16], along[39], along[40]]).toEqual([5, 5, 7, 7, Number.NaN, Number.NaN, 9]);
  expect(new Gathered(0, 5).finish()).toBeNull();
});

it("a tape is a match by its game and its streams", () => {
  expect(hasField("rocket-league", ["replay", "ball"])).toBe(true);
  expect(hasField("rocket-league", ["replay"])).toBe(false);
  expect(hasField("echo-vr", ["session"])).toBe(true);
  expect(hasField("iracing", ["session"])).toBe(false);
});
