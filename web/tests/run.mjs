// Browser tests: starts gametape, then opens and uses every page in a headless Chromium.
// GAMETAPE_BIN=target/debug/gametape node tests/run.mjs [NAME…]; screenshots go to target/web-shots.

import { appendFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { executable, open, shots } from "./browser.mjs";
import { binary, dataFolder, start, until } from "./programs.mjs";

if (!binary || !executable) {
  console.error(binary ? "no Chromium: install Debian's chromium, or set GAMETAPE_CHROMIUM" : "set GAMETAPE_BIN to a gametape binary with an embedded web UI");
  process.exit(2);
}

const folder = join(dirname(fileURLToPath(import.meta.url)), "checks");
const wanted = process.argv.slice(2);
const checks = [];
for (const file of readdirSync(folder).sort()) {
  const module = await import(join(folder, file));
  // `missing` says why none of the checks in this file can run; it has a name for the list of skipped tests.
  const { missing, ...named } = module;
  for (const [name, check] of Object.entries(named)) checks.push({ name, check, missing });
}

const home = dataFolder();
// Record two finished sessions at high speed, then one that keeps running during all checks.
for (const seed of ["2", "3"]) await start(home, ["demo", "--laps", "6", "--speed", "50", "--seed", seed, "--exit"]).ended;
const demo = start(home, ["demo", "--seed", "5"]);
const browser = await open();
let failed = 0;
let passed = 0;
try {
  const url = await demo.url();
  const api = async (path) => (await fetch(url + path)).json();
  await until("the stored sessions", async () => (await api("/api/v1/sessions")).sessions.length >= 2);
  for (const { name, check, missing } of checks) {
    if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
    const lack = await missing?.({ url });
    if (lack) {
      console.log(`SKIPPED ${name}: ${lack.text}`);
      if (process.env.GAMETAPE_SKIP_LOG) appendFileSync(process.env.GAMETAPE_SKIP_LOG, `${lack.name}\n`);
      continue;
    }
    const started = Date.now();
    try {
      await check({ browser, url, api, home });
      passed += 1;
      console.log(`ok ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}\n  ${String(error?.stack ?? error).split("\n").slice(0, 8).join("\n  ")}`);
    }
  }
} finally {
  await browser.close();
  await demo.kill();
  home.remove();
}
console.log(`web result: ${failed ? "FAILED" : "ok"}. ${passed} passed; ${failed} failed; screenshots in ${shots}`);
process.exit(failed ? 1 : 0);
