// Uploads files of other programs in chunks, and imports them. A lost connection is resumed where the server has got to.

import { ApiError, fetchJson, type Params, type Schemas } from "../api/client";

export type Imported = Schemas["FileImported"];

/** The largest chunk that the server accepts. */
export const CHUNK = 4 << 20;
/** How often a chunk is sent again after the server was unreachable. */
const RETRIES = 5;

/** A file to import, with the `.ldx` that belongs to a MoTeC log. */
export interface Job {
  name: string;
  main: Blob;
  beside?: Blob;
}

type Send = (params: Params, body: Blob | null) => Promise<Imported>;

const stem = (name: string): string => name.replace(/\.[^.]*$/, "").toLowerCase();
const isLdx = (name: string): boolean => /\.ldx$/i.test(name);

/** Joins each `.ldx` with the `.ld` of the same name. An `.ldx` alone is nothing to import. */
export function jobsOf(files: { name: string; blob: Blob }[]): Job[] {
  const beside = new Map(files.filter((file) => isLdx(file.name)).map((file) => [stem(file.name), file.blob]));
  return files.filter((file) => !isLdx(file.name)).map((file) => {
    const found = /\.ld$/i.test(file.name) ? beside.get(stem(file.name)) : undefined;
    return found ? { name: file.name, main: file.blob, beside: found } : { name: file.name, main: file.blob };
  });
}

/** Returns a random id for an upload: 32 hexadecimal digits. */
export function uploadId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const post: Send = (params, body) =>
  fetchJson<Imported>("/import", params, { method: "POST", body, headers: { "content-type": "application/octet-stream" } });

const isLost = (error: unknown): boolean => error instanceof ApiError && (error.status === 0 || error.code === "wrong_offset");

/** Uploads a file and returns the result of its import. `progress` gets the share that has arrived, 0 to 1. */
export async function importFile(job: Job, mine: boolean, progress: (share: number) => void, send: Send = post, pause = 500): Promise<Imported> {
  const all = job.beside ? new Blob([job.main, job.beside]) : job.main;
  const about = { upload: uploadId(), bytes: all.size, file: job.name, mine, beside_bytes: job.beside?.size ?? null };
  let [offset, lost] = [0, 0];
  for (;;) {
    try {
      const arrived = await send({ ...about, offset }, all.slice(offset, offset + CHUNK));
      [offset, lost] = [arrived.offset, 0];
      progress(offset / all.size);
      if (arrived.complete) return arrived;
    } catch (error) {
      if (!isLost(error) || lost >= RETRIES) throw error;
      lost += 1;
      await new Promise((done) => setTimeout(done, pause * lost));
      // The chunk may have arrived although its response did not.
      offset = (await send(about, null).catch(() => ({ offset }))).offset;
    }
  }
}

/** Says what became of a file, in one sentence. */
export function outcome(name: string, done: Imported): string {
  const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;
  const laps = done.laps == null ? "it has no laps" : counted(done.laps, "lap");
  const problems = done.problems.length > 0 ? `, ${counted(done.problems.length, "problem")}: ${done.problems[0]}` : "";
  return done.already_there ? `${name} was imported before: ${laps}` : `${name} imported: ${laps}${problems}`;
}
