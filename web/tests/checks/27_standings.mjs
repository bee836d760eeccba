// All cars of a session, in a game that reports them.

import assert from "node:assert/strict";
import { page } from "../browser.mjs";
import { dataFolder, freePort, start, until } from "../programs.mjs";

export async function standings_are_shown_live_and_with_the_session({ browser }) {
  const home = dataFolder();
  const demo = start(home, ["demo", "--game", "f1-25", "--speed", "4", "--bind", `127.0.0.1:${await freePort()}`]);
  const url = await demo.url();
  const tab = await page(browser);
  await tab.goto(url);
  const live = tab.getByRole("region", { name: "Standings" });
  await live.locator("tbody tr").nth(21).waitFor({ timeout: 60_000 });
  const positions = await live.locator("tbody tr td:first-child").allTextContents();
  assert.deepEqual(positions.map(Number), positions.map((_, n) => n + 1));
  // The leader has no gap, and no car an invented one.
  assert.equal(await live.locator("tbody tr").first().locator("td").nth(3).textContent(), "–");
  assert.equal(await live.locator("tr.own").count(), 1);
  await until("a best lap", async () => /\d:\d\d\.\d{3}/.test(await live.textContent()), 60);
  await live.scrollIntoViewIfNeeded();
  await tab.shot("live-standings");
  const { sessions } = await (await fetch(`${url}/api/v1/sessions`)).json();
  await tab.goto(`${url}/sessions/${sessions[0].id}`);
  const table = tab.getByRole("region", { name: "Standings" });
  await table.locator("tbody tr").nth(21).waitFor();
  await table.getByRole("button", { name: "Driver 4", exact: true }).click();
  await tab.getByRole("table", { name: "Laps of Driver 4" }).locator("tbody tr").first().waitFor();
  await table.scrollIntoViewIfNeeded();
  await tab.shot("session-standings");
  assert.deepEqual(tab.violations, []);
  await tab.done();
  const phone = await page(browser, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
  await phone.goto(`${url}/sessions/${sessions[0].id}`);
  const region = phone.getByRole("region", { name: "Standings" });
  await region.locator("tbody tr").first().waitFor();
  assert((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390, "the page scrolls sideways");
  await region.scrollIntoViewIfNeeded();
  await phone.shot("phone-standings");
  assert.deepEqual(phone.violations, []);
  await phone.done();
  await demo.kill();
  home.remove();
}

export async function a_session_of_one_car_has_no_standings({ browser, url, api }) {
  const { sessions } = await api("/api/v1/sessions");
  // A running session may have no laps yet.
  const session = sessions.find((one) => one.end_reason);
  const tab = await page(browser);
  const asked = tab.waitForResponse((response) => response.url().includes("/standings"));
  await tab.goto(`${url}/sessions/${session.id}`);
  assert.deepEqual((await (await asked).json()).cars, []);
  await tab.locator(".laps tbody tr").first().waitFor();
  assert.equal(await tab.getByRole("region", { name: "Standings" }).count(), 0);
  assert.deepEqual(tab.violations, []);
  await tab.done();
}
