// Runs gametape in a temporary data folder, and stops it. GAMETAPE_BIN names the binary.

import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const binary = process.env.GAMETAPE_BIN && resolve(process.env.GAMETAPE_BIN);

/** Creates a temporary home for gametape. `remove` deletes it. */
export function dataFolder() {
  const folder = mkdtempSync(join(tmpdir(), "gametape-web-"));
  for (const name of ["data", "home", "config", "run"]) mkdirSync(join(folder, name), { mode: 0o700 });
  const env = { ...process.env, HOME: join(folder, "home"), XDG_DATA_HOME: join(folder, "data"), XDG_CONFIG_HOME: join(folder, "config"), XDG_RUNTIME_DIR: join(folder, "run"), NO_COLOR: "1" };
  return { folder, env, demoStore: join(folder, "data/gametape/demo/laps.sqlite"), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Starts gametape. `url` waits for the address that it prints. */
export function start(home, args) {
  const child = spawn(binary, args, { env: home.env, stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const ended = new Promise((done) => child.on("exit", (code, signal) => done({ code, signal })));
  const collect = (bytes) => { said += bytes; };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
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
      throw new Error(`gametape ${args.join(" ")} printed no address:\n${said}`);
    },
  };
}

export const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** Calls `poll` until it returns a truthy value, and returns that value. Throws after `seconds`. */
export async function until(what, poll, seconds = 20) {
  const end = Date.now() + seconds * 1000;
  let last;
  do {
    last = await poll();
    if (last) return last;
    await wait(50);
  } while (Date.now() < end);
  throw new Error(`timed out after ${seconds} s: ${what}`);
}

/** Returns a free port. */
export function freePort() {
  return new Promise((done, fail) => {
    const server = createServer();
    server.on("error", fail);
    server.listen(0, "127.0.0.1", () => { const { port } = server.address(); server.close(() => done(port)); });
  });
}
