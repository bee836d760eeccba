// A tape that is open in a worker: sends requests and resolves their answers. Two workers read it, so that a plot is refined while laps are
// still being found. `close` ends both at once, whatever they are doing.

import type { Answer, Ask, Reply, Request } from "./protocol";
import { type Problem, ProblemError } from "./problem";
import type { Place } from "./source";

/** The part of `Worker` that is used here. */
export interface Peer {
  postMessage(message: Request): void;
  terminate(): void;
  onmessage: ((event: { data: Reply }) => void) | null;
  onerror: ((event: { message?: string; preventDefault?: () => void }) => void) | null;
}

interface Waiting { done: (value: never) => void; failed: (error: unknown) => void; onPart: ((part: number) => void) | undefined }

const GONE: Problem = { kind: "stopped", text: "The part of the page that reads tapes did not start or ended.", advice: "Reload the page. If the page is served from your own server, check that its folder assets is complete." };

export class Line {
  private readonly waiting = new Map<number, Waiting>();
  private count = 0;
  private ended: Problem | null = null;

  constructor(private readonly peer: Peer) {
    peer.onmessage = ({ data }) => this.take(data);
    peer.onerror = (event) => { event.preventDefault?.(); this.end(GONE); };
  }

  ask<A extends Ask>(ask: A, onPart?: (part: number) => void): Promise<Answer<A["what"]>> {
    if (this.ended) return Promise.reject(new ProblemError(this.ended));
    this.count += 1;
    const id = this.count;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed, onPart });
      this.peer.postMessage({ id, ask });
    });
  }

  close(): void {
    this.end({ kind: "stopped", text: "The tape was closed.", advice: "" });
  }

  private end(why: Problem) {
    this.ended ??= why;
    this.peer.terminate();
    for (const one of this.waiting.values()) one.failed(new ProblemError(why));
    this.waiting.clear();
  }

  private take(reply: Reply) {
    const one = this.waiting.get(reply.id);
    if (!one) return;
    if ("part" in reply) return one.onPart?.(reply.part);
    this.waiting.delete(reply.id);
    if ("problem" in reply) one.failed(new ProblemError(reply.problem));
    else one.done(reply.value as never);
  }
}

export class OpenTape {
  private readonly finder: Line;
  private reader: Promise<Line> | null = null;
  private readonly others: Line[] = [];

  constructor(readonly name: string, private readonly place: Place, private readonly start: () => Peer) {
    this.finder = new Line(start());
  }

  /** Asks the first worker: first `open`, then the stages. */
  ask<A extends Ask & { what: "open" | "overview" | "laps" | "report" }>(ask: A, onPart?: (part: number) => void): Promise<Answer<A["what"]>> {
    return this.finder.ask(ask, onPart);
  }

  open(): Promise<Answer<"open">> {
    return this.ask({ what: "open", place: this.place, name: this.name });
  }

  /** Asks the second worker, which is started by its first request. */
  async aside<A extends Ask & { what: "range" | "field" }>(ask: A, onPart?: (part: number) => void): Promise<Answer<A["what"]>> {
    this.reader ??= this.second();
    return (await this.reader).ask(ask, onPart);
  }

  private async second(): Promise<Line> {
    const line = new Line(this.start());
    this.others.push(line);
    await line.ask({ what: "open", place: this.place, name: this.name });
    return line;
  }

  close(): void {
    for (const line of [this.finder, ...this.others]) line.close();
  }
}
