import { expect, it } from "vitest";
import { MOST_AHEAD, PageCache } from "./pages";

/** A source of `size` bytes whose values follow from their positions. Remembers what it was asked for. */
function source(size: number) {
  const asked: [number, number][] = [];
  return {
    size, asked, fails: false,
    read(offset: number, length: number): Uint8Array {
      if (this.fails) throw new Error("the connection broke");
      asked.push([offset, length]);
      return Uint8Array.from({ length }, (_, n) => (offset + n) % 251);
    },
  };
}

const read = (cache: PageCache, offset: number, length: number): number[] => {
  const into = new Uint8Array(length);
  return [...into.subarray(0, cache.read(offset, into))];
};
const right = (offset: number, length: number) => Array.from({ length }, (_, n) => (offset + n) % 251);

it("reads of any position and size give the bytes of the source, also across pages and at the end", () => {
  const cache = new PageCache(source(1000), 64, 4);
  for (const [offset, length] of [[0, 10], [60, 10], [63, 1], [64, 64], [100, 300], [990, 10], [0, 1000], [500, 0]] as const) {
    expect(read(cache, offset, length)).toEqual(right(offset, length));
  }
  expect(read(cache, 990, 50)).toEqual(right(990, 10));
  expect(read(cache, 1000, 5)).toEqual([]);
  expect(read(cache, 1 << 30, 5)).toEqual([]);
  for (const offset of [-1, 0.5, Number.NaN, 2 ** 60]) expect(read(cache, offset, 5)).toEqual([]);
});

it("a page that is in memory is not asked for again", () => {
  const from = source(1000);
  const cache = new PageCache(from, 64, 4);
  for (let n = 0; n < 50; n += 1) read(cache, 64 + n, 8);
  expect(from.asked).toEqual([[64, 64]]);
});

it("memory is bounded: the least recently used page goes first", () => {
  const from = source(10_000);
  const cache = new PageCache(from, 64, 4);
  for (const page of [9, 3, 7, 1]) read(cache, page * 64, 1);
  read(cache, 9 * 64, 1);
  read(cache, 20 * 64, 1);
  expect(cache.held).toBe(4);
  const before = from.asked.length;
  read(cache, 9 * 64, 1);
  expect(from.asked.length).toBe(before);
  read(cache, 3 * 64, 1);
  expect(from.asked.length).toBe(before + 1);
  for (let n = 0; n < 10_000; n += 64) read(cache, n, 64);
  expect(cache.held).toBe(4);
});

it("reading on without a break asks for several pages at once, jumping about does not", () => {
  const from = source(64 * 20);
  const cache = new PageCache(from, 64, 16);
  for (let n = 0; n < 20; n += 1) expect(read(cache, n * 64, 64)).toEqual(right(n * 64, 64));
  expect(from.asked.map(([, length]) => length / 64)).toEqual([1, 2, 4, 4, 4, 4, 1]);
  expect(Math.max(...from.asked.map(([, length]) => length / 64))).toBe(MOST_AHEAD);
  const jumping = source(64 * 100);
  const other = new PageCache(jumping, 64, 16);
  for (const page of [50, 10, 70, 30]) read(other, page * 64, 1);
  expect(jumping.asked.every(([, length]) => length === 64)).toBe(true);
});

it("an error of the source passes through, and the next read tries again", () => {
  const from = source(1000);
  const cache = new PageCache(from, 64, 4);
  from.fails = true;
  expect(() => read(cache, 0, 10)).toThrow("the connection broke");
  from.fails = false;
  expect(read(cache, 0, 10)).toEqual(right(0, 10));
});
