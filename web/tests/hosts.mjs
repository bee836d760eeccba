// Static web servers on ports of their own, as others run them: with and without ranges, with and without CORS. Each keeps a log of its requests.

import { createServer } from "node:http";
import { existsSync, openSync, readFileSync, readSync, closeSync, statSync } from "node:fs";
import { join, normalize } from "node:path";

const TYPES = { html: "text/html; charset=utf-8", js: "text/javascript", css: "text/css", wasm: "application/wasm" };

/**
 * Serves files. `find` returns the path or the bytes for a URL path, or null.
 * `ranges`: whether parts are sent; `cors`: the value of Access-Control-Allow-Origin; `exposed`: whether pages may see Content-Range.
 */
export async function host({ find, ranges = true, cors = null, exposed = true }) {
  const log = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://host");
    log.push({ method: request.method, path: pathname, range: request.headers.range ?? null });
    if (cors) {
      response.setHeader("access-control-allow-origin", cors);
      response.setHeader("access-control-allow-headers", "range");
      if (exposed) response.setHeader("access-control-expose-headers", "content-range");
    }
    if (request.method === "OPTIONS") return response.writeHead(cors ? 204 : 403).end();
    const found = await find(decodeURIComponent(pathname));
    if (!found) return response.writeHead(404).end("no such file");
    const size = typeof found === "string" ? statSync(found).size : found.length;
    response.setHeader("content-type", pathname.endsWith("/") ? TYPES.html : TYPES[pathname.split(".").pop()] ?? "application/octet-stream");
    response.setHeader("last-modified", "Thu, 19 Nov 2026 12:00:00 GMT");
    const part = ranges && /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    const [from, to] = part ? [Number(part[1]), Math.min(size - 1, part[2] ? Number(part[2]) : size - 1)] : [0, size - 1];
    if (part && from >= size) return response.writeHead(416).end();
    if (part) response.setHeader("content-range", `bytes ${from}-${to}/${size}`);
    response.setHeader("content-length", to - from + 1);
    response.writeHead(part ? 206 : 200);
    if (request.method === "HEAD") return response.end();
    return response.end(typeof found === "string" ? readPart(found, from, to - from + 1) : found.subarray(from, to + 1));
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const close = () => new Promise((done) => { server.close(done); server.closeAllConnections(); });
  return { url: `http://127.0.0.1:${server.address().port}`, log, close };
}

function readPart(path, from, length) {
  const bytes = Buffer.alloc(length);
  const file = openSync(path, "r");
  try { readSync(file, bytes, 0, length, from); } finally { closeSync(file); }
  return bytes;
}

/** Finds files of a folder. */
export const inFolder = (folder, under = "/") => (path) => {
  if (!path.startsWith(under)) return null;
  const name = normalize(path.slice(under.length) || "index.html");
  const file = join(folder, name.endsWith("/") ? `${name}index.html` : name);
  return !name.startsWith("..") && existsSync(file) && statSync(file).isFile() ? file : null;
};

/** The files of the viewer as gametape serves them, below another path and without its headers: any static host. */
export const viewerOf = (url, under) => async (path) => {
  if (!path.startsWith(under)) return null;
  const folder = process.env.GAMETAPE_PAGES && join(process.env.GAMETAPE_PAGES, "viewer");
  if (folder) { const file = inFolder(folder, under)(path); return file && readFileSync(file); }
  const answer = await fetch(`${url}/viewer/${path.slice(under.length)}`);
  return answer.ok ? Buffer.from(await answer.arrayBuffer()) : null;
};
