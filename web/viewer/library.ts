// The C interface of gametape (crates/c/include/gametape.h) in WebAssembly, without generated glue: texts and numbers in and out of the memory
// of the module. Errors become `Problem`s. A trap leaves the module unusable: `Library` then refuses everything.

import type { PageCache } from "./pages";
import { ProblemError, problem } from "./problem";
import type { Extremes } from "./stages";

const OK = 0;
const END = 1;
const DAMAGED = 2;
const SHORT = -1;
const NOT_FOUND = -4;
const FORMAT = -6;
const UNKNOWN_GAME = -10;
/** GAMETAPE_INTERFACE of the header that this file follows. */
const INTERFACE = 1;

type Address = number;
type Wide = bigint;

interface Exports {
  memory: WebAssembly.Memory;
  gametape_interface(): number;
  gametape_version(): Address;
  gametape_last_error(): Address;
  gametape_alloc(bytes: number): Address;
  gametape_free(memory: Address): void;
  gametape_open_imported(source: number, journals: Address, count: number, tape: Address): number;
  gametape_close(handle: number): number;
  gametape_describe(tape: number, json: Address, length: Address): number;
  gametape_events(tape: number, json: Address, length: Address): number;
  gametape_laps(tape: number, progress: Address, user: Address, json: Address, length: Address): number;
  gametape_report(tape: number, file: Address, channels: Address, progress: Address, user: Address, json: Address, length: Address): number;
  gametape_lines(tape: number, channels: Address, from: Wide, to: Wide, progress: Address, user: Address, json: Address, length: Address): number;
  gametape_channel_shape(tape: number, stream: Address, channel: Address, element: number, from: Wide, to: Wide, shape: Address): number;
  gametape_channel(tape: number, stream: Address, channel: Address, element: number, from: Wide, to: Wide, values: Address, times: Address, capacity: number, rows: Address): number;
  gametape_overview(tape: number, stream: Address, channel: Address, element: number, from: Wide, to: Wide, starts: Address, least: Address, largest: Address, count: number): number;
  gametape_cursor_open(tape: number, stream: Address, cursor: Address): number;
  gametape_cursor_next(cursor: number, frame: Address): number;
}

/** A result that is there although parts of the tape could not be read; then `damage` says which. */
export interface Told<T> { value: T; damage: string | null }

export interface ChannelValues { times_s: Float64Array; values: Float64Array }

const LAST = 0xffff_ffff_ffff_ffffn;
const NEW_MODULE = "The file gametape.wasm is of another version than the page. Reload the page; if that does not help, copy all files of the viewer to the server again.";

export class Library {
  private readonly call: Exports;
  private readonly scratch: Address;
  private source: PageCache | null = null;
  private onPart: ((part: number) => void) | null = null;
  /** The problem of the source that a read failed with. The module sees only that it failed. */
  private failed: unknown = null;
  private trapped: unknown = null;
  private tape = 0;

  constructor(module: WebAssembly.Module) {
    const imports = {
      gametape: {
        read_at: (_source: number, offset: Wide, buffer: Address, length: number): number => {
          try {
            return this.source?.read(Number(offset), new Uint8Array(this.call.memory.buffer, buffer >>> 0, length >>> 0)) ?? -1;
          } catch (error) {
            this.failed ??= error;
            return -1;
          }
        },
        size: (): Wide => BigInt(this.source?.size ?? -1),
        progress: (done: number): number => { this.onPart?.(done); return 0; },
      },
    };
    try {
      this.call = new WebAssembly.Instance(module, imports).exports as unknown as Exports;
      if (this.call.gametape_interface() !== INTERFACE) throw new Error("another interface");
    } catch {
      throw problem("no-wasm", "The viewer and its WebAssembly module do not fit together.", NEW_MODULE);
    }
    this.scratch = this.call.gametape_alloc(64);
  }

  open(source: PageCache): void {
    this.source = source;
    this.run(() => {
      this.check(this.call.gametape_open_imported(0, 0, 0, this.scratch));
      this.tape = this.view().getUint32(this.scratch, true);
    });
  }

  describe(): string { return this.json((at) => this.call.gametape_describe(this.tape, at, at + 4)).value; }

  events(): string { return this.json((at) => this.call.gametape_events(this.tape, at, at + 4)).value; }

  /** Null: the game of the tape is unknown. */
  laps(onPart: (part: number) => void): Told<string | null> {
    return this.slow(onPart, () => this.unlessUnknown(() => this.json((at) => this.call.gametape_laps(this.tape, 0, 0, at, at + 4))));
  }

  report(file: string, onPart: (part: number) => void): Told<string> {
    return this.slow(onPart, () => this.text(file, (name) => this.json((at) => this.call.gametape_report(this.tape, name, 0, 0, 0, at, at + 4))));
  }

  /** Channels in a part of the time, with every frame or as 65,536 intervals. */
  lines(channels: readonly string[], from_ns: number, to_ns: number): Told<string> {
    return this.text(JSON.stringify(channels), (names) =>
      this.json((at) => this.call.gametape_lines(this.tape, names, wide(from_ns), wide(to_ns), 0, 0, at, at + 4)));
  }

  /** The extremes of a channel from the index; null if there is no such channel. */
  overview(stream: string, channel: string, from_ns: number, to_ns: number, count: number): Extremes | null {
    return this.text(stream, (streamName) => this.text(channel, (name) => this.room(24 * count, (at) => this.run(() => {
      const [least, largest] = [at + 8 * count, at + 16 * count];
      const status = this.call.gametape_overview(this.tape, streamName, name, 0, wide(from_ns), wide(to_ns), at, least, largest, count);
      if (status === NOT_FOUND) return null;
      this.check(status);
      const { buffer } = this.call.memory;
      return {
        starts_s: Float64Array.from(new BigUint64Array(buffer, at, count), (time) => Number(time) / 1e9),
        least: new Float64Array(buffer, least, count).slice(), largest: new Float64Array(buffer, largest, count).slice(),
      };
    }))));
  }

  /** All values of a channel that has one value in a frame; null if there is no such channel. */
  channel(stream: string, channel: string, element: number): ChannelValues | null {
    return this.text(stream, (streamName) => this.text(channel, (name) => this.run(() => {
      const status = this.call.gametape_channel_shape(this.tape, streamName, name, element, 0n, LAST, this.scratch);
      if (status === NOT_FOUND) return null;
      this.check(status);
      const rows = Number(this.view().getBigUint64(this.scratch, true));
      if (rows === 0) return { times_s: new Float64Array(), values: new Float64Array() };
      return this.room(16 * rows, (at) => {
        this.check(this.call.gametape_channel(this.tape, streamName, name, element, 0n, LAST, at, at + 8 * rows, rows, this.scratch));
        const count = this.view().getUint32(this.scratch, true);
        const times = new BigUint64Array(this.call.memory.buffer, at + 8 * rows, count);
        return { values: new Float64Array(this.call.memory.buffer, at, count).slice(), times_s: Float64Array.from(times, (time) => Number(time) / 1e9) };
      });
    })));
  }

  /** Calls `take` with each frame of a stream until it returns false. The bytes are valid during the call only. Damaged frames are left out. */
  frames(stream: string, take: (time_s: number, bytes: Uint8Array) => boolean): void {
    this.text(stream, (name) => this.run(() => {
      this.check(this.call.gametape_cursor_open(this.tape, name, this.scratch));
      const cursor = this.view().getUint32(this.scratch, true);
      try {
        for (;;) {
          const status = this.check(this.call.gametape_cursor_next(cursor, this.scratch));
          if (status === END) return;
          if (status === DAMAGED) continue;
          const view = this.view();
          const bytes = new Uint8Array(this.call.memory.buffer, view.getUint32(this.scratch + 16, true), view.getUint32(this.scratch + 20, true));
          if (!take(Number(view.getBigUint64(this.scratch, true)) / 1e9, bytes)) return;
        }
      } finally {
        this.call.gametape_close(cursor);
      }
    }));
  }

  private view(): DataView { return new DataView(this.call.memory.buffer); }

  /** Runs something that calls the module. A trap is remembered. */
  private run<T>(act: () => T): T {
    if (this.trapped !== null) throw this.trapped;
    this.failed = null;
    try {
      return act();
    } catch (error) {
      if (!(error instanceof ProblemError)) this.trapped = error;
      throw error;
    }
  }

  private check(status: number): number {
    if (status === OK || status === END || status === DAMAGED) {
      // Reads that failed are damage to the module: for the user, the connection broke.
      if (status === DAMAGED && this.failed) throw this.failed;
      return status;
    }
    if (this.failed) throw this.failed;
    const text = this.lastError();
    if (status === FORMAT) throw problem("not-a-tape", sentence(text), "Choose a .gtape file. gametape import converts files of other programs.");
    if (status === UNKNOWN_GAME) throw problem("answer", sentence(text), "");
    if (status === SHORT) throw problem("stopped", "The tape gives more values than it says.", "Check the tape with gametape verify.");
    throw problem("damaged", sentence(text), "gametape verify says what is damaged; gametape recover keeps what is intact.");
  }

  private unlessUnknown(act: () => Told<string>): Told<string | null> {
    try {
      return act();
    } catch (error) {
      if (error instanceof ProblemError && error.problem.kind === "answer") return { value: null, damage: null };
      throw error;
    }
  }

  private slow<T>(onPart: (part: number) => void, act: () => T): T {
    this.onPart = onPart;
    try { return act(); } finally { this.onPart = null; }
  }

  private json(ask: (out: Address) => number): Told<string> {
    return this.run(() => {
      const status = this.check(ask(this.scratch));
      const damage = status === DAMAGED ? this.lastError() : null;
      const view = this.view();
      const [at, length] = [view.getUint32(this.scratch, true), view.getUint32(this.scratch + 4, true)];
      try {
        return { value: new TextDecoder().decode(new Uint8Array(this.call.memory.buffer, at, length)), damage };
      } finally {
        this.call.gametape_free(at);
      }
    });
  }

  private lastError(): string {
    const bytes = new Uint8Array(this.call.memory.buffer, this.call.gametape_last_error());
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }

  private text<T>(text: string, act: (at: Address) => T): T {
    const bytes = new TextEncoder().encode(text.replaceAll("\0", ""));
    return this.room(bytes.length + 1, (at) => {
      const own = new Uint8Array(this.call.memory.buffer, at, bytes.length + 1);
      own.set(bytes);
      own[bytes.length] = 0;
      return act(at);
    });
  }

  private room<T>(bytes: number, act: (at: Address) => T): T {
    const at = this.run(() => this.call.gametape_alloc(bytes));
    if (at === 0) throw problem("stopped", `The browser has no room for ${bytes} bytes.`, "Close other tabs, or open a shorter tape.");
    try { return act(at); } finally { if (this.trapped === null) this.call.gametape_free(at); }
  }
}

const wide = (ns: number): Wide => BigInt(Math.max(0, Math.round(ns)));

/** An error of the library as a sentence. */
function sentence(text: string): string {
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}
