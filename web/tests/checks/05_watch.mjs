// Tests the test harness: violations of a page are detected.

import assert from "node:assert/strict";
import { page } from "../browser.mjs";
import { until } from "../programs.mjs";

export async function violations_of_a_page_are_detected({ browser, url }) {
  // Without the content security policy, which would hide requests that the harness misses.
  const tab = await page(browser, { bypassCSP: true });
  await tab.goto(`${url}/sessions`);
  await tab.locator("main").waitFor();
  assert.deepEqual(tab.violations, []);
  // Another loopback address stands in for the internet, so that nothing leaves this machine even if the harness fails.
  for (const [violation, commit] of [
    ["console: an error", () => console.error("an error")],
    ["console: a warning", () => console.warn("a warning")],
    ["error: thrown", () => { setTimeout(() => { throw new Error("thrown"); }); }],
    ["left this machine: http://127.0.0.2:9/asked", () => { void fetch("http://127.0.0.2:9/asked").catch(() => {}); }],
    ["left this machine: http://127.0.0.2:9/picture", () => { new Image().src = "http://127.0.0.2:9/picture"; }],
    ["left this machine: ws://127.0.0.2:9/socket", () => { new WebSocket("ws://127.0.0.2:9/socket"); }],
  ]) {
    tab.violations.length = 0;
    await tab.evaluate(commit);
    await until(violation, async () => tab.violations.includes(violation), 10).catch((error) => { throw new Error(`${error.message}; detected: ${JSON.stringify(tab.violations)}`); });
  }
  await tab.done();
  // The content security policy alone also blocks requests to other hosts.
  const strict = await page(browser);
  await strict.goto(`${url}/sessions`);
  const refused = await strict.evaluate(() => fetch("http://127.0.0.2:9/asked").then(() => "sent", (error) => error.name));
  assert.equal(refused, "TypeError");
  assert(strict.violations.some((one) => one.includes("Content Security Policy")) && !strict.violations.some((one) => one.startsWith("left")), String(strict.violations));
  await strict.done();
}
