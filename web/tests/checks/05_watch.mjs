// The watch over all other checks: a page that sins is seen to.

import assert from "node:assert/strict";
import { page } from "../browser.mjs";
import { until } from "../programs.mjs";

export async function what_a_page_must_not_do_is_noticed({ browser, url }) {
  // What the page forbids itself must not hide what the watch overlooks.
  const tab = await page(browser, { bypassCSP: true });
  await tab.goto(`${url}/sessions`);
  await tab.locator("main").waitFor();
  assert.deepEqual(tab.sins, []);
  // Another address of this machine stands for the world: nothing leaves it even if the watch sleeps.
  for (const [sin, commit] of [
    ["console: an error", () => console.error("an error")],
    ["console: a warning", () => console.warn("a warning")],
    ["error: thrown", () => { setTimeout(() => { throw new Error("thrown"); }); }],
    ["left this machine: http://127.0.0.2:9/asked", () => { void fetch("http://127.0.0.2:9/asked").catch(() => {}); }],
    ["left this machine: http://127.0.0.2:9/picture", () => { new Image().src = "http://127.0.0.2:9/picture"; }],
    ["left this machine: ws://127.0.0.2:9/socket", () => { new WebSocket("ws://127.0.0.2:9/socket"); }],
  ]) {
    tab.sins.length = 0;
    await tab.evaluate(commit);
    await until(sin, async () => tab.sins.includes(sin), 10).catch((error) => { throw new Error(`${error.message}; it noticed ${JSON.stringify(tab.sins)}`); });
  }
  await tab.done();
  // And what the page says of where it may go keeps it here without any watch.
  const strict = await page(browser);
  await strict.goto(`${url}/sessions`);
  const refused = await strict.evaluate(() => fetch("http://127.0.0.2:9/asked").then(() => "gone out", (error) => error.name));
  assert.equal(refused, "TypeError");
  assert(strict.sins.some((sin) => sin.includes("Content Security Policy")) && !strict.sins.some((sin) => sin.startsWith("left")), String(strict.sins));
  await strict.done();
}
