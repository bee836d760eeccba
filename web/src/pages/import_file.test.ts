import { expect, it } from "vitest";
import { ApiError, type Params } from "../api/client";
import { CHUNK, type Imported, importFile, jobsOf, outcome, uploadId } from "./import_file";

const blob = (size: number) => new Blob([new Uint8Array(size)]);
const answer = (changes: Partial<Imported>): Imported => ({ offset: 0, complete: false, already_there: false, problems: [], ...changes });

/** A server that keeps what arrives, and fails at the given calls. */
function server(bytes: number, fails: (call: number) => Error | null = () => null) {
  const calls: Params[] = [];
  let arrived = 0;
  const send = async (params: Params, body: Blob | null): Promise<Imported> => {
    calls.push(params);
    const error = fails(calls.length);
    if (body && params.offset === arrived) arrived += body.size;
    if (error) throw error;
    return answer({ offset: arrived, complete: arrived === bytes, laps: 3 });
  };
  return { calls, send };
}

it("a file goes in chunks under one id, and the last chunk gives the result", async () => {
  const bytes = 2 * CHUNK + 5;
  const { calls, send } = server(bytes);
  const shares: number[] = [];
  const done = await importFile({ name: "a.ld", main: blob(bytes) }, true, (share) => shares.push(share), send);
  expect(done.laps).toBe(3);
  expect(calls.map((call) => call.offset)).toEqual([0, CHUNK, 2 * CHUNK]);
  expect(new Set(calls.map((call) => call.upload)).size).toBe(1);
  expect(calls[0]).toMatchObject({ bytes, file: "a.ld", mine: true, beside_bytes: null });
  expect(shares.at(-1)).toBe(1);
});

it("a response that was lost does not send the chunk again", async () => {
  const bytes = CHUNK + 1;
  const { calls, send } = server(bytes, (call) => (call === 1 ? new ApiError(0, "unreachable", "gone") : null));
  await importFile({ name: "a.ld", main: blob(bytes) }, false, () => {}, send, 0);
  expect(calls.map((call) => call.offset)).toEqual([0, undefined, CHUNK]);
});

it("a file that the server refuses is not sent again", async () => {
  const { calls, send } = server(9, () => new ApiError(400, "bad_request", "Not a known file."));
  await expect(importFile({ name: "a.txt", main: blob(9) }, false, () => {}, send, 0)).rejects.toThrow("Not a known file.");
  expect(calls.length).toBe(1);
});

it("an .ldx goes with the .ld of its name and with nothing else", () => {
  const file = (name: string, size: number) => ({ name, blob: blob(size) });
  const jobs = jobsOf([file("A.ld", 5), file("a.LDX", 2), file("b.ldx", 3), file("b.csv", 4)]);
  expect(jobs.map((job) => [job.name, job.main.size, job.beside?.size])).toEqual([["A.ld", 5, 2], ["b.csv", 4, undefined]]);
});

it("ids are random and outcomes are sentences", () => {
  expect(uploadId()).toMatch(/^[0-9a-f]{32}$/);
  expect(uploadId()).not.toBe(uploadId());
  expect(outcome("a.ld", answer({ laps: 1 }))).toBe("a.ld imported: 1 lap");
  expect(outcome("a.gpx", answer({ laps: 0, problems: ["it is cut"] }))).toBe("a.gpx imported: 0 laps, 1 problem: it is cut");
  expect(outcome("a.ld", answer({ laps: 4, already_there: true }))).toBe("a.ld was imported before: 4 laps");
});
