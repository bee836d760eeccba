// Where the bytes of a tape come from, in a worker: slices of a file that the user chose, or ranges of a URL. Both are read synchronously, as
// WebAssembly needs them. Nothing is ever loaded as a whole, and nothing but the tape is asked for.

import type { Bytes } from "./pages";
import { problem } from "./problem";

/** What the user opens. */
export type Place = { kind: "file"; file: File } | { kind: "url"; url: string };

const CHANGED = "Open it again.";

/** Only workers have it; TypeScript knows either workers or pages. */
declare class FileReaderSync { readAsArrayBuffer(blob: Blob): ArrayBuffer }

export class FileBytes implements Bytes {
  private readonly reader = new FileReaderSync();
  readonly size: number;

  constructor(private readonly file: File) {
    this.size = file.size;
  }

  read(offset: number, length: number): Uint8Array {
    let bytes: ArrayBuffer;
    try {
      bytes = this.reader.readAsArrayBuffer(this.file.slice(offset, offset + length));
    } catch (error) {
      const why = error instanceof Error ? error.name : String(error);
      throw problem("unreadable", `The browser cannot read ${this.file.name} at byte ${offset} (${why}): the file was changed or removed, or it may not be read.`, CHANGED);
    }
    if (bytes.byteLength !== length) throw problem("changed", `${this.file.name} has become shorter while it was read.`, CHANGED);
    return new Uint8Array(bytes);
  }
}

/** What the first response says about the tape on the server. */
export interface Found {
  size: number;
  version: string | null;
  /** The file's name, if the server says so and the page may see it. */
  name: string | null;
}

export class UrlBytes implements Bytes {
  readonly size: number;

  constructor(private readonly url: string, readonly found: Found) {
    this.size = found.size;
  }

  read(offset: number, length: number): Uint8Array {
    const request = new XMLHttpRequest();
    request.open("GET", this.url, false);
    request.responseType = "arraybuffer";
    request.setRequestHeader("Range", `bytes=${offset}-${offset + length - 1}`);
    try {
      request.send();
    } catch {
      throw problem("unreachable", `The connection to ${hostOf(this.url)} broke while the tape was read at byte ${offset}.`, "Try again.");
    }
    if (request.status !== 206) throw refused(request.status, this.url);
    const bytes = request.response as ArrayBuffer | null;
    const version = versionOf((name) => request.getResponseHeader(name));
    if (!bytes || bytes.byteLength !== length || version !== this.found.version) throw problem("changed", "The tape on the server changed while it was read.", CHANGED);
    return new Uint8Array(bytes);
  }
}

/** The size in `Content-Range: bytes 0-0/1234`, or null. */
export function sizeOfRange(header: string | null): number | null {
  const size = Number(/^bytes \d+-\d+\/(\d+)$/.exec(header?.trim() ?? "")?.[1] ?? Number.NaN);
  return Number.isSafeInteger(size) ? size : null;
}

const versionOf = (header: (name: string) => string | null): string | null => header("last-modified");

/** Asks the server for one byte: does it let this page read, does it have ranges, how long is the tape? */
export async function findUrl(url: string, ask: typeof fetch = fetch): Promise<Found> {
  const ended = new AbortController();
  let first: Response;
  try {
    first = await ask(url, { headers: { Range: "bytes=0-0" }, cache: "no-store", signal: ended.signal, credentials: "same-origin" });
  } catch {
    throw await unanswered(url, ask);
  }
  const { status, headers } = first;
  // A server without ranges sends the whole tape: it is not read.
  ended.abort();
  if (status === 416) throw problem("not-a-tape", "The file on the server is empty: this is not a tape.", "Choose a .gtape file.");
  if (status === 200) throw problem("no-ranges", `${hostOf(url)} does not support range requests: it would send the whole file for every part of it.`, "Serve the tape from a server that answers Range requests with 206 Partial Content, or download the file and open it here.");
  if (status !== 206) throw refused(status, url);
  const version = versionOf((header) => headers.get(header));
  const name = /filename="([^"\\]+)"/.exec(headers.get("content-disposition") ?? "")?.[1] ?? null;
  const size = sizeOfRange(headers.get("content-range"));
  if (size !== null) return { size, version, name };
  // Without Access-Control-Expose-Headers: Content-Range, the length of the whole file is still readable.
  const head = await ask(url, { method: "HEAD", credentials: "same-origin" }).catch(() => null);
  const length = head?.ok ? Number(head.headers.get("content-length") ?? Number.NaN) : Number.NaN;
  if (Number.isSafeInteger(length)) return { size: length, version, name };
  throw problem("not-allowed", `${hostOf(url)} does not tell this page how long the tape is.`, "The server must send Access-Control-Expose-Headers: Content-Range.");
}

/** The reason of a request that got no answer. */
async function unanswered(url: string, ask: typeof fetch) {
  const host = hostOf(url);
  // Without CORS the answer cannot be read, only that there is one.
  const there = await ask(url, { mode: "no-cors", method: "HEAD", credentials: "omit" }).then(() => true, () => false);
  if (there) {
    return problem("not-allowed", `${host} does not allow this page to read the tape (CORS).`,
      `The server must send Access-Control-Allow-Origin: ${globalThis.location?.origin ?? "*"}, Access-Control-Allow-Headers: Range and Access-Control-Expose-Headers: Content-Range. Or download the file and open it here.`);
  }
  return problem("unreachable", `${host} cannot be reached.`, "Check the address after ?tape= and the network. A page that was loaded with https cannot read a tape by http.");
}

function refused(status: number, url: string) {
  const why = status === 404 || status === 410 ? "there is no such file" : status === 401 || status === 403 ? "it requires a login, or the link has expired" : "it reports an error";
  return problem("answer", `${hostOf(url)} answers with status ${status}: ${why}.`, "Check the address after ?tape=.");
}

export function hostOf(url: string): string {
  try { return new URL(url).host || url; } catch { return url; }
}

/** Returns the absolute address of a tape, or null if it cannot be one. */
export function tapeUrl(text: string, base: string): string | null {
  try {
    const url = new URL(text, base);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
  } catch { return null; }
}

/** The name of a tape: the file's name, or the last part of the address. */
export function nameOf(place: Place): string {
  if (place.kind === "file") return place.file.name;
  const { pathname, host } = new URL(place.url);
  const last = pathname.split("/").filter(Boolean).pop() ?? host;
  try { return decodeURIComponent(last); } catch { return last; }
}
