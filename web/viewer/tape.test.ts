import { expect, it } from "vitest";
import { ProblemError } from "./problem";
import type { Request } from "./protocol";
import { Line, OpenTape, type Peer } from "./tape";

/** A worker that does what the test says. */
class FakePeer implements Peer {
  onmessage: Peer["onmessage"] = null;
  onerror: Peer["onerror"] = null;
  asked: Request[] = [];
  ended = false;
  postMessage(message: Request) { this.asked.push(message); }
  terminate() { this.ended = true; }
  say(data: Parameters<NonNullable<Peer["onmessage"]>>[0]["data"]) { this.onmessage?.({ data }); }
}

const RANGE = { what: "range", names: ["rpm"], from_ns: 0, to_ns: 5 } as const;
const kindOf = (promise: Promise<unknown>) => promise.then(() => "answered", (error: ProblemError) => error.problem.kind);

it("answers belong to their requests in any order, and progress comes before", async () => {
  const peer = new FakePeer();
  const line = new Line(peer);
  const parts: number[] = [];
  const first = line.ask({ what: "laps" }, (part) => parts.push(part));
  const second = line.ask({ ...RANGE, names: [] });
  const [a, b] = peer.asked.map(({ id }) => id) as [number, number];
  peer.say({ id: a, part: 0.5 });
  peer.say({ id: b, value: "second" });
  peer.say({ id: a, value: "first" });
  peer.say({ id: a, part: 0.9 });
  peer.say({ id: 99, value: "nobody asked" });
  expect([await first, await second, parts]).toEqual(["first", "second", [0.5]]);
});

it("a problem of one request does not concern the others", async () => {
  const peer = new FakePeer();
  const line = new Line(peer);
  const [bad, good] = [line.ask({ what: "laps" }), line.ask({ what: "report" })];
  peer.say({ id: 1, problem: { kind: "damaged", text: "x", advice: "" } });
  peer.say({ id: 2, value: 7 });
  expect([await kindOf(bad), await good]).toEqual(["damaged", 7]);
});

it("a worker that breaks or is closed fails everything that waits for it, and what is asked later", async () => {
  for (const end of [(peer: FakePeer) => peer.onerror?.({}), (_: FakePeer, line: Line) => line.close()]) {
    const peer = new FakePeer();
    const line = new Line(peer);
    const waiting = line.ask({ what: "laps" });
    end(peer, line);
    expect([await kindOf(waiting), await kindOf(line.ask({ what: "report" })), peer.ended]).toEqual(["stopped", "stopped", true]);
  }
});

it("the second worker is started by its first request, opens the tape itself, and ends with it", async () => {
  const peers: FakePeer[] = [];
  const tape = new OpenTape("a.gtape", { kind: "url", url: "http://a/a.gtape" }, () => { const peer = new FakePeer(); peers.push(peer); return peer; });
  expect(peers.length).toBe(1);
  const answer = tape.aside({ ...RANGE, names: ["rpm"] });
  expect(peers[1]?.asked.map(({ ask }) => ask.what)).toEqual(["open"]);
  peers[1]?.say({ id: 1, value: { bytes: 1 } });
  await Promise.resolve();
  await new Promise((done) => setTimeout(done));
  expect(peers[1]?.asked.map(({ ask }) => ask.what)).toEqual(["open", "range"]);
  tape.close();
  expect([await kindOf(answer), ...peers.map(({ ended }) => ended)]).toEqual(["stopped", true, true]);
});
