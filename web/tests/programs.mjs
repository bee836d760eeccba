// Starts gametape in a data folder of its own, and ends what it started. Takes the binary from GAMETAPE_BIN.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const binary = process.env.GAMETAPE_BIN && resolve(process.env.GAMETAPE_BIN);

/** A folder that goes away with `remove`. */
export function dataFolder() {
  const folder = mkdtempSync(join(tmpdir(), "gametape-web-"));
  for (const name of ["data", "home", "config", "run"]) mkdirSync(join(folder, name), { mode: 0o700 });
  const env = { ...process.env, HOME: join(folder, "home"), XDG_DATA_HOME: join(folder, "data"), XDG_CONFIG_HOME: join(folder, "config"), XDG_RUNTIME_DIR: join(folder, "run"), NO_COLOR: "1" };
  return { folder, env, demoStore: join(folder, "data/gametape/demo/laps.sqlite"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A program that runs; `url` is the address it printed. */
export function start(place, args) {
  const child = spawn(binary, args, { env: place.env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const ended = new Promise((done) => child.on("exit", (code, signal) => done({ code, signal })));
  const hear = (bytes) => { said += bytes; };
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  return {
    ended,
    said: () => said,
    kill: async (signal = "SIGINT") => { child.kill(signal); await ended; },
    url: async () => {
      for (let n = 0; n < 200; n += 1) {
        const found = said.match(/http:\/\/127\.0\.0\.1:\d+/);
        if (found) return found[0];
        await wait(100);
      }
      throw new Error(`no address was printed by gametape ${args.join(" ")}:\n${said}`);
    },
  };
}

export const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** Asks until the answer is as wanted; a time-out guards against a hang. */
export async function until(what, ask, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  let last;
  do {
    last = await ask();
    if (last) return last;
    await wait(50);
  } while (Date.now() < end);
  throw new Error(`not within ${seconds} s: ${what}`);
}

/** A port that is free now. */
export function freePort() {
  return new Promise((done, fail) => {
    const server = createServer();
    server.on("error", fail);
    server.listen(0, "127.0.0.1", () => { const { port } = server.address(); server.close(() => done(port)); });
  });
}
