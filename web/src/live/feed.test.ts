import { expect, it, vi } from "vitest";

it("switching to another live car reconnects and requests that recording", async () => {
  const opened: string[] = [];
  let closed = 0;
  class Socket {
    static readonly CONNECTING = 0;
    readyState = 1;
    constructor(url: string) {
      opened.push(url);
    }
    close() {
      closed += 1;
    }
  }
  vi.stubGlobal("WebSocket", Socket);
  vi.stubGlobal("sessionStorage", { getItem: () => null });
  vi.stubGlobal("location", { origin: "http://127.0.0.1:7223" });
  const { Feed } = await import("./feed");
  const feed = new Feed();
  feed.onCar(20, () => {});
  expect(opened).toEqual(["ws://127.0.0.1:7223/api/v1/live?car=20"]);
  feed.follow("abc");
  feed.follow("abc");
  expect(opened.slice(1)).toEqual(["ws://127.0.0.1:7223/api/v1/live?car=20&tape=abc"]);
  expect(closed).toBe(1);
  vi.unstubAllGlobals();
});
