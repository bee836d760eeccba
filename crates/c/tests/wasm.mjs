// Runs the WebAssembly module as a page does: a tape is read by ranges, and its laps are those that `gametape laps --json` prints.
//
//   node wasm.mjs MODULE PROGRAM TAPE...
//
// Also checks the size of the module. Says what it found; the exit code is 1 if something is wrong.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { gzipSync } from "node:zlib";

// What it has today, and a little: so that nobody adds to it without noticing. The goal is 900 kB, and 300 kB packed.
const MOST_BYTES = 1_350_000;
const MOST_PACKED = 530_000;
const ALL = 0xffffffff;
const END_OF_TIME = 0xffffffffffffffffn;

const [module, program, ...tapes] = process.argv.slice(2);
const code = readFileSync(module);

const files = new Map();
let reads = 0;
let bytesRead = 0;
let fractions = [];
let stopAt = Infinity;

let wasm;
// What the program prints.
const said = (...words) => execFileSync(program, words, { encoding: "utf8", maxBuffer: 1 << 28 });
const memory = () => new Uint8Array(wasm.memory.buffer);
const view = () => new DataView(wasm.memory.buffer);

const imports = {
  gametape: {
    read_at(source, offset, buffer, length) {
      if (!files.has(source)) return -1;
      const room = memory().subarray(buffer, buffer + length);
      reads += 1;
      const read = readSync(files.get(source), room, 0, length, Number(offset));
      bytesRead += read;
      return read;
    },
    size: (source) => (files.has(source) ? BigInt(fstatSync(files.get(source)).size) : -1n),
    progress(done) {
      fractions.push(done);
      return fractions.length >= stopAt ? 1 : 0;
    },
  },
};

const compiled = new WebAssembly.Module(code);
assert.deepEqual([...new Set(WebAssembly.Module.imports(compiled).map((one) => one.module))], ["gametape"], "nothing but the host's functions");
wasm = new WebAssembly.Instance(compiled, imports).exports;

const textAt = (at) => new TextDecoder().decode(memory().subarray(at, memory().indexOf(0, at)));
const lastError = () => textAt(wasm.gametape_last_error());

// Gives the module a text; the caller frees it.
function text(words) {
  const bytes = new TextEncoder().encode(`${words}\0`);
  const at = wasm.gametape_alloc(bytes.length);
  memory().set(bytes, at);
  return at;
}

// Calls a function whose last argument is the address of a result of 4 bytes.
function out32(call) {
  const at = wasm.gametape_alloc(4);
  view().setUint32(at, 0, true);
  const status = call(at);
  const value = view().getUint32(at, true);
  wasm.gametape_free(at);
  return [status, value];
}

function json(call) {
  const [status, at] = out32((to) => call(to, 0));
  assert.ok(status >= 0, `${status}: ${lastError()}`);
  const document = JSON.parse(textAt(at));
  wasm.gametape_free(at);
  return document;
}

let compared = 0;
for (const [number, path] of tapes.entries()) {
  const source = number + 10;
  files.set(source, openSync(path, "r"));
  const [status, tape] = out32((to) => wasm.gametape_open_imported(source, 0, 0, to));
  assert.equal(status, 0, lastError());

  const described = json((to, length) => wasm.gametape_describe(tape, to, length));
  const info = JSON.parse(said("info", "--json", path));
  assert.equal(described.tape_id, info.tape_id);
  assert.deepEqual(described.streams.map((one) => [one.name, one.frames]), info.streams.map((one) => [one.name, one.frames]));

  // Stopped by the host, then not.
  stopAt = 1;
  assert.equal(out32((to) => wasm.gametape_laps(tape, 0, 0, to, 0))[0], -9);
  stopAt = Infinity;
  fractions = [];
  const laps = json((to, length) => wasm.gametape_laps(tape, 0, 0, to, length));
  assert.deepEqual(laps, JSON.parse(said("laps", "--json", path)), path);
  assert.ok(fractions.length > 0 && fractions.every((done, at) => done >= (fractions[at - 1] ?? 0) && done <= 1));
  compared += laps.sessions.reduce((count, session) => count + session.laps.length, 0);

  const file = text("a.gtape");
  const report = json((to, length) => wasm.gametape_report(tape, file, 0, 0, 0, to, length));
  wasm.gametape_free(file);
  assert.equal(report.sessions.length, laps.sessions.length);
  assert.ok(report.lines.channels.length > 0);

  // A channel with its times.
  const stream = described.streams.find((one) => one.channels.some((channel) => channel.type === "f32" && channel.count === 1));
  const channel = stream.channels.find((one) => one.type === "f32" && one.count === 1);
  const [streamName, channelName, rows] = [text(stream.name), text(channel.name), wasm.gametape_alloc(4)];
  const shape = wasm.gametape_alloc(16);
  assert.equal(wasm.gametape_channel_shape(tape, streamName, channelName, ALL, 0n, END_OF_TIME, shape), 0, lastError());
  const count = Number(view().getBigUint64(shape, true));
  assert.deepEqual([count, view().getUint32(shape + 8, true), view().getUint32(shape + 12, true)], [stream.frames, 1, 4]);
  const [values, times] = [wasm.gametape_alloc(8 * count), wasm.gametape_alloc(8 * count)];
  assert.equal(wasm.gametape_channel(tape, streamName, channelName, ALL, 0n, END_OF_TIME, values, times, count - 1, rows), -1);
  assert.equal(wasm.gametape_channel(tape, streamName, channelName, ALL, 0n, END_OF_TIME, values, times, count, rows), 0, lastError());
  const cat = said("cat", path, "--stream", stream.name, "--channels", channel.name);
  const lines = cat.trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  const ours = [new BigUint64Array(wasm.memory.buffer, times, count), new Float64Array(wasm.memory.buffer, values, count)];
  assert.deepEqual(lines.map(([time, value]) => [time, Math.fround(value)]), [...ours[0]].map((time, row) => [Number(time), ours[1][row]]));

  // Frames: the struct has the offsets that the header names.
  const [opened, cursor] = out32((to) => wasm.gametape_cursor_open(tape, streamName, to));
  assert.equal(opened, 0);
  const frame = wasm.gametape_alloc(32);
  let frames = 0;
  for (; wasm.gametape_cursor_next(cursor, frame) === 0; frames += 1) {
    assert.equal(view().getBigUint64(frame, true), ours[0][frames] ?? new BigUint64Array(wasm.memory.buffer, times, count)[frames]);
    assert.equal(view().getUint32(frame + 20, true), stream.frame_bytes);
    assert.equal(view().getUint32(frame + 24, true), stream.id);
  }
  assert.equal(frames, stream.frames);
  for (const at of [streamName, channelName, rows, shape, values, times, frame]) wasm.gametape_free(at);
  assert.equal(wasm.gametape_close(cursor), 0);
  assert.equal(wasm.gametape_close(tape), 0);
  closeSync(files.get(source));
  files.delete(source);
}
assert.equal(out32((to) => wasm.gametape_open_imported(99, 0, 0, to))[0], -5);
const path = text("a.gtape");
assert.equal(out32((to) => wasm.gametape_open(path, to))[0], -11);
assert.ok(compared > 3, "laps were compared");

const packed = gzipSync(code, { level: 9 }).length;
console.log(`wasm: ${tapes.length} tapes, ${compared} laps as gametape prints them, ${reads} reads, ${bytesRead} bytes; module ${code.length} bytes, ${packed} packed`);
assert.ok(code.length <= MOST_BYTES, `the module has ${code.length} bytes; at most ${MOST_BYTES}`);
assert.ok(packed <= MOST_PACKED, `the module packed has ${packed} bytes; at most ${MOST_PACKED}`);
