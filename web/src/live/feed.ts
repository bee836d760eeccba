// The line to the server: one for the whole page. It comes back by itself with the number of the last event it has, so that nothing is
// missed; who shows lists reads them anew on `reset`. A WebSocket, or, where a token is needed, Server-Sent Events over fetch: a
// browser's socket cannot carry a token.

import { address, token } from "../api/client";
import { type Car, type Event, type Message, isEvent, parse } from "./messages";

export type Line = "connecting" | "open" | "lost";

/** How long to wait before the next try. */
const WAITS_MS = [300, 600, 1200, 2500, 5000];

type Listener<T> = (value: T) => void;

export class Feed {
  line: Line = "connecting";
  /** The newest message about the car, and when it came. */
  car: Car | null = null;
  carAt = 0;
  /** The recording whose car is followed, by its tape; the one that began last if null. */
  private tape: string | null = null;
  private seq: number | null = null;
  private tries = 0;
  private carHz = 0;
  private timer = 0;
  private close: (() => void) | null = null;
  private readonly lines = new Set<Listener<Line>>();
  private readonly events = new Set<Listener<Event>>();
  private readonly cars = new Set<Listener<Car>>();
  private readonly carWishes = new Map<symbol, number>();

  onLine(listener: Listener<Line>): () => void {
    return join(this.lines, listener);
  }
  onEvent(listener: Listener<Event>): () => void {
    return join(this.events, listener);
  }

  /** Messages about the car, up to so many a second, until the returned function is called. */
  onCar(hz: number, listener: Listener<Car>): () => void {
    const wish = Symbol();
    this.carWishes.set(wish, hz);
    this.cars.add(listener);
    this.wishesChanged();
    return () => {
      this.carWishes.delete(wish);
      this.cars.delete(listener);
      // Going from page to page must not cost a new line for each.
      setTimeout(() => this.wishesChanged(), 1000);
    };
  }

  /** Follows the car of this recording from now on. */
  follow(tape: string | null) {
    if (tape === this.tape) return;
    this.tape = tape;
    this.connect();
  }

  private wishesChanged() {
    const hz = Math.max(0, ...this.carWishes.values());
    if (hz === this.carHz) return;
    this.carHz = hz;
    if (hz === 0) this.car = null;
    this.connect();
  }

  /** Begins anew at once. */
  connect() {
    clearTimeout(this.timer);
    this.close?.();
    this.close = null;
    const path = address("/live", { since: this.seq, car: this.carHz || null, tape: this.carHz ? this.tape : null });
    let over = false;
    const lost = () => {
      if (over) return;
      over = true;
      this.close = null;
      this.setLine("lost");
      const wait = WAITS_MS[Math.min(this.tries, WAITS_MS.length - 1)] as number;
      this.tries += 1;
      this.timer = window.setTimeout(() => this.connect(), wait);
    };
    const opened = () => {
      if (over) return;
      this.tries = 0;
      this.setLine("open");
    };
    const heard = (text: string) => {
      const message = over ? null : parse(text);
      if (message) this.take(message);
    };
    const stop = token.get() ? listenByFetch(path, opened, heard, lost) : listenBySocket(path, opened, heard, lost);
    this.close = () => {
      over = true;
      stop();
    };
  }

  private take(message: Message) {
    if (!isEvent(message)) {
      if (message.kind !== "car") return;
      this.car = message.data;
      this.carAt = performance.now();
      for (const listener of this.cars) listener(message.data);
      return;
    }
    this.seq = message.seq;
    for (const listener of this.events) listener(message);
  }

  private setLine(line: Line) {
    if (this.line === line) return;
    this.line = line;
    for (const listener of this.lines) listener(line);
  }
}

function join<T>(set: Set<Listener<T>>, listener: Listener<T>): () => void {
  set.add(listener);
  return () => set.delete(listener);
}

function listenBySocket(path: string, opened: () => void, heard: (text: string) => void, lost: () => void): () => void {
  const socket = new WebSocket(path.replace(/^/, location.origin.replace(/^http/, "ws")));
  socket.onopen = opened;
  socket.onmessage = (message) => heard(String(message.data));
  socket.onclose = lost;
  return () => {
    socket.onclose = null;
    // One that is not open yet complains when it is closed.
    if (socket.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close();
    else socket.close();
  };
}

function listenByFetch(path: string, opened: () => void, heard: (text: string) => void, lost: () => void): () => void {
  const stop = new AbortController();
  const run = async () => {
    const headers = { authorization: `Bearer ${token.get()}`, accept: "text/event-stream" };
    const response = await fetch(path, { headers, signal: stop.signal });
    if (!response.ok || !response.body) return;
    opened();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const parts = (rest + value).split("\n\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        const data = part.split("\n").filter((line) => line.startsWith("data:")).map((line) => line.slice(5).trim());
        if (data.length > 0) heard(data.join("\n"));
      }
    }
  };
  run().catch(() => {}).finally(lost);
  return () => stop.abort();
}

export const feed = new Feed();
