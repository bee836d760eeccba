import { expect, it } from "vitest";
import { ProblemError } from "./problem";
import { findUrl, nameOf, sizeOfRange, tapeUrl } from "./source";

const URL_OF = "https://tapes.example/a/race%201.gtape";

/** A server that answers by the method and the mode. */
function server(answer: (init: RequestInit) => Response | null) {
  const asked: RequestInit[] = [];
  const ask = (async (_url: string, init: RequestInit) => {
    asked.push(init);
    const response = answer(init);
    if (!response) throw new TypeError("Failed to fetch");
    return response;
  }) as typeof fetch;
  return { ask, asked };
}

const problemOf = async (ask: typeof fetch) => findUrl(URL_OF, ask).then(() => null, (error: ProblemError) => error.problem);

it("the size is that of Content-Range, and one byte is asked for", async () => {
  const { ask, asked } = server(() => new Response("x", { status: 206, headers: { "content-range": "bytes 0-0/2000000000", "last-modified": "then", "content-disposition": 'attachment; filename="race.gtape"' } }));
  expect(await findUrl(URL_OF, ask)).toEqual({ size: 2_000_000_000, version: "then", name: "race.gtape" });
  expect(asked.map((one) => (one.headers as Record<string, string>).Range)).toEqual(["bytes=0-0"]);
});

it("a Content-Range that the page may not see is replaced by the length", async () => {
  const { ask } = server(({ method }) => method === "HEAD" ? new Response(null, { headers: { "content-length": "1234" } }) : new Response("x", { status: 206 }));
  expect((await findUrl(URL_OF, ask)).size).toBe(1234);
  const without = server(({ method }) => method === "HEAD" ? null : new Response("x", { status: 206 }));
  expect((await problemOf(without.ask))?.advice).toContain("Access-Control-Expose-Headers");
});

it("a server without ranges, without CORS, without the file, and none at all are told apart", async () => {
  const whole = server(() => new Response("the whole tape"));
  expect(await problemOf(whole.ask)).toMatchObject({ kind: "no-ranges", text: expect.stringContaining("tapes.example") });
  const strict = server(({ mode }) => (mode === "no-cors" ? new Response(null) : null));
  expect(await problemOf(strict.ask)).toMatchObject({ kind: "not-allowed", advice: expect.stringContaining("Access-Control-Allow-Origin") });
  expect((await problemOf(server(() => null).ask))?.kind).toBe("unreachable");
  expect(await problemOf(server(() => new Response("", { status: 404 })).ask)).toMatchObject({ kind: "answer", text: expect.stringContaining("no such file") });
  expect((await problemOf(server(() => new Response("", { status: 403 })).ask))?.text).toContain("login");
  expect((await problemOf(server(() => new Response("", { status: 416 })).ask))?.kind).toBe("not-a-tape");
});

it("a size is read from well-formed headers only", () => {
  expect(sizeOfRange("bytes 0-0/5")).toBe(5);
  for (const header of [null, "", "bytes 0-0/*", "bytes */5", "bytes 0-0/5x", "bytes 0-0/99999999999999999999"]) expect(sizeOfRange(header)).toBeNull();
});

it("addresses are http or https, also relative ones", () => {
  expect(tapeUrl("demo.gtape", "http://127.0.0.1:8000/viewer/")).toBe("http://127.0.0.1:8000/viewer/demo.gtape");
  expect(tapeUrl("/api/v1/tapes/1/file", "http://a/viewer/")).toBe("http://a/api/v1/tapes/1/file");
  for (const text of ["javascript:alert(1)", "file:///etc/passwd", "data:,x", "http://", "blob:http://a/b"]) expect(tapeUrl(text, "http://a/")).toBeNull();
  expect(nameOf({ kind: "url", url: URL_OF })).toBe("race 1.gtape");
  expect(nameOf({ kind: "url", url: "https://tapes.example/%ff" })).toBe("%ff");
});
