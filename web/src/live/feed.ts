// The live connection to the server, one per page. It reconnects with backoff and resumes after the sequence number of the last event,
// so that no event is missed; after a `reset` event, consumers reload their lists. Uses a WebSocket, or Server-Sent Events over `fetch`
// if a token is required: browsers cannot send an `Authorization` header with a WebSocket.

import { apiUrl, token } from "../api/client";
import { type Car, type Event, type Message, isEvent, parse } from "./messages";

export type Connection = "connecting" | "open" | "lost";

/** Reconnect backoff. */
const BACKOFF_MS = [300, 600, 1200, 2500, 5000];

/** The longest wait for the head of the response with the events. The server sends it at once. */
const HEADERS_MS = 8000;

type Listener<T> = (value: T) => void;

export class Feed {
  connection: Connection = "connecting";
  /** The latest `car` message, and when it arrived. */
  car: Car | null = null;
  carAt = 0;
  /** The tape of the recording whose car is followed. Null follows the recording that started last. */
  private tape: string | null = null;
  private seq: number | null = null;
  private tries = 0;
  private carHz = 0;
  private timer = 0;
  private close: (() => void) | null = null;
  private readonly connections = new Set<Listener<Connection>>();
  private readonly events = new Set<Listener<Event>>();
  private readonly cars = new Set<Listener<Car>>();
  private readonly carRates = new Map<symbol, number>();

  onConnection(listener: Listener<Connection>): () => void {
    return subscribe(this.connections, listener);
  }
  onEvent(listener: Listener<Event>): () => void {
    return subscribe(this.events, listener);
  }

  /** Subscribes to `car` messages at up to `hz` per second. Returns a function that unsubscribes. */
  onCar(hz: number, listener: Listener<Car>): () => void {
    const key = Symbol();
    this.carRates.set(key, hz);
    this.cars.add(listener);
    this.ratesChanged();
    return () => {
      this.carRates.delete(key);
      this.cars.delete(listener);
      // Wait, so that navigating between pages does not reconnect each time.
      setTimeout(() => this.ratesChanged(), 1000);
    };
  }

  /** Switches to the car of this recording. */
  follow(tape: string | null) {
    if (tape === this.tape) return;
    this.tape = tape;
    this.connect();
  }

  private ratesChanged() {
    const hz = Math.max(0, ...this.carRates.values());
    if (hz === this.carHz) return;
    this.carHz = hz;
    if (hz === 0) this.car = null;
    this.connect();
  }

  /** Closes the current connection and connects again at once. */
  connect() {
    clearTimeout(this.timer);
    this.close?.();
    this.close = null;
    const path = apiUrl("/live", { since: this.seq, car: this.carHz || null, tape: this.carHz ? this.tape : null });
    let over = false;
    const lost = () => {
      if (over) return;
      over = true;
      this.close = null;
      this.setConnection("lost");
      const wait = BACKOFF_MS[Math.min(this.tries, BACKOFF_MS.length - 1)] as number;
      this.tries += 1;
      this.timer = window.setTimeout(() => this.connect(), wait);
    };
    const opened = () => {
      if (over) return;
      this.tries = 0;
      this.setConnection("open");
    };
    const received = (text: string) => {
      const message = over ? null : parse(text);
      if (message) this.take(message);
    };
    const stop = token.get() ? listenByFetch(path, opened, received, lost) : listenBySocket(path, opened, received, lost);
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

  private setConnection(connection: Connection) {
    if (this.connection === connection) return;
    this.connection = connection;
    for (const listener of this.connections) listener(connection);
  }
}

function subscribe<T>(set: Set<Listener<T>>, listener: Listener<T>): () => void {
  set.add(listener);
  return () => set.delete(listener);
}

function listenBySocket(path: string, opened: () => void, received: (text: string) => void, lost: () => void): () => void {
  const socket = new WebSocket(path.replace(/^/, location.origin.replace(/^http/, "ws")));
  socket.onopen = opened;
  socket.onmessage = (message) => received(String(message.data));
  socket.onclose = lost;
  return () => {
    socket.onclose = null;
    // Closing a connecting socket logs an error in the console: close it once it is open.
    if (socket.readyState === WebSocket.CONNECTING) socket.onopen = () => socket.close();
    else socket.close();
  };
}

function listenByFetch(path: string, opened: () => void, received: (text: string) => void, lost: () => void): () => void {
  const stop = new AbortController();
  const run = async () => {
    const headers = { authorization: `Bearer ${token.get()}`, accept: "text/event-stream" };
    // `fetch` has no time limit of its own: a request that hangs would leave the page unconnected for good.
    const late = setTimeout(() => stop.abort(), HEADERS_MS);
    const response = await fetch(path, { headers, signal: stop.signal }).finally(() => clearTimeout(late));
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
        if (data.length > 0) received(data.join("\n"));
      }
    }
  };
  run().catch(() => {}).finally(lost);
  return () => stop.abort();
}

export const feed = new Feed();
