// A page cache over a source of bytes: takes reads of any size and position, asks the source for whole pages. At most `most` pages are in
// memory, the least recently used go first; errors of the source pass through and are not cached.

/** Bytes that are read synchronously, in a worker. Offsets are whole numbers below 2^53. */
export interface Bytes {
  /** The size in bytes. It does not change. */
  readonly size: number;
  /** Returns exactly `length` bytes at `offset`, or throws a `Problem`. The caller stays within `size`. */
  read(offset: number, length: number): Uint8Array;
}

export const PAGE_BYTES = 1 << 20;
/** 64 MiB with pages of 1 MiB. */
export const MOST_PAGES = 64;
/** Pages that are read at once while the caller reads on without a break: fewer requests for a tape that is read as a whole. */
export const MOST_AHEAD = 4;

export class PageCache {
  private readonly pages = new Map<number, Uint8Array>();
  /** The page behind the last one that was asked of the source, and how many were asked then. */
  private next = -1;
  private ahead = 1;

  constructor(private readonly source: Bytes, private readonly page = PAGE_BYTES, private readonly most = MOST_PAGES) {}

  get size(): number { return this.source.size; }

  /** Number of pages in memory. */
  get held(): number { return this.pages.size; }

  /** Fills `into` from `offset`. Returns the number of bytes: fewer than asked for only at the end. */
  read(offset: number, into: Uint8Array): number {
    if (!Number.isSafeInteger(offset) || offset < 0) return 0;
    const end = Math.min(this.size, offset + into.length);
    let at = offset;
    while (at < end) {
      const number = Math.floor(at / this.page);
      const bytes = this.get(number);
      const from = at - number * this.page;
      const part = bytes.subarray(from, Math.min(bytes.length, from + end - at));
      into.set(part, at - offset);
      at += part.length;
    }
    return Math.max(0, at - offset);
  }

  private get(number: number): Uint8Array {
    const known = this.pages.get(number);
    if (known) {
      // The last in the map is the most recently used.
      this.pages.delete(number);
      this.pages.set(number, known);
      return known;
    }
    this.ahead = number === this.next ? Math.min(this.ahead * 2, MOST_AHEAD, this.most) : 1;
    const start = number * this.page;
    let many = 1;
    while (many < this.ahead && start + many * this.page < this.size && !this.pages.has(number + many)) many += 1;
    const bytes = this.source.read(start, Math.min(many * this.page, this.size - start));
    this.next = number + many;
    for (let n = many - 1; n >= 0; n -= 1) {
      // A copy: a part of a larger buffer would keep the whole of it in memory.
      const own = many === 1 ? bytes : bytes.slice(n * this.page, (n + 1) * this.page);
      this.pages.set(number + n, own);
    }
    for (const old of this.pages.keys()) {
      if (this.pages.size <= this.most) break;
      this.pages.delete(old);
    }
    return this.pages.get(number) as Uint8Array;
  }
}
