// Opens and uses every page.

import assert from "node:assert/strict";
import { page } from "../browser.mjs";
import { until } from "../programs.mjs";

async function stored(api) {
  const { sessions } = await api("/api/v1/sessions?laps=true");
  const session = sessions.find((one) => one.end_reason && one.laps.filter((lap) => lap.time_ms).length >= 4);
  assert(session, "no finished session");
  return session;
}

export async function sessions_can_be_filtered_and_searched({ browser, url, api }) {
  const tab = await page(browser);
  await tab.goto(`${url}/sessions`);
  await tab.locator(".sessions .row").nth(1).waitFor();
  const many = await tab.locator(".sessions .row").count();
  assert.equal(many, (await api("/api/v1/sessions")).sessions.length);
  await tab.shot("sessions-dark");
  const broken = await tab.locator(".row .when b").first().evaluate((date) => {
    const [text, tall] = [date.textContent, (words) => { date.textContent = words; return date.offsetHeight; }];
    date.style.width = "4rem";
    const [one, day] = [tall("1"), tall("2025-11-20")];
    Object.assign(date, { textContent: text, style: "" });
    return day > one;
  });
  assert(!broken, "a date wraps onto two lines");
  await tab.getByPlaceholder("Search track").fill("no such thing");
  await tab.getByText("Nothing found").waitFor();
  await tab.getByPlaceholder("Search track").fill("ring");
  await until("rows", async () => (await tab.locator(".sessions .row").count()) === many);
  assert(tab.url().includes("q=ring"), tab.url());
  await tab.getByLabel("Type").selectOption("race");
  await tab.getByText("Nothing found").waitFor();
  await tab.getByPlaceholder("Search track").fill("");
  await tab.getByText("No matching sessions").waitFor();
  await tab.getByPlaceholder("Search track").fill("ring");
  await tab.getByRole("button", { name: "Clear" }).click();
  assert.equal(await tab.getByPlaceholder("Search track").inputValue(), "", "the search text is cleared, too");
  await tab.locator(".sessions .row").first().waitFor();
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function the_search_covers_all_sessions({ browser, url, api, home }) {
  const tab = await page(browser);
  const requests = [];
  tab.on("request", (request) => { if (request.url().includes("/sessions?")) requests.push(request.url()); });
  await tab.goto(`${url}/sessions?q=demo`);
  await tab.locator(".page-foot").waitFor();
  await until("a request to the server", async () => requests.some((one) => one.includes("q=demo")));
  // The match is found, whichever result page it is on.
  const { sessions } = await api("/api/v1/sessions?limit=500");
  const oldest = sessions[sessions.length - 1];
  const edit = await fetch(`${url}/api/v1/sessions/${oldest.id}`, { method: "PATCH", headers: { origin: url, "content-type": "application/json" }, body: JSON.stringify({ note: "needle_in a haystack" }) });
  assert.equal(edit.status, 200);
  await tab.getByPlaceholder("Search track").fill("NEEDLE haystack");
  await until("one row", async () => (await tab.locator(".sessions .row").count()) === 1);
  assert((await tab.locator(".sessions .row").getAttribute("href")).endsWith(oldest.id));
  await fetch(`${url}/api/v1/sessions/${oldest.id}`, { method: "PATCH", headers: { origin: url, "content-type": "application/json" }, body: JSON.stringify({ note: null }) });
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function a_session_shows_how_its_tyres_were_used({ browser, url, api }) {
  const session = await stored(api);
  const tab = await page(browser);
  await tab.goto(`${url}/sessions/${session.id}`);
  await tab.getByText("Tyres", { exact: true }).click();
  await tab.getByRole("region", { name: "Tyres" }).locator("tbody tr").first().waitFor();
  const cells = await tab.getByRole("region", { name: "Tyres" }).locator("tbody tr").first().locator(".four span").allTextContents();
  assert(cells.slice(0, 8).every((cell) => /^\d+(\.\d)?$/.test(cell)), cells.join());
  await tab.getByRole("region", { name: "Tyres" }).scrollIntoViewIfNeeded();
  await tab.shot("session-tyres");
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function a_session_shows_its_laps_and_they_can_be_changed_and_undone({ browser, url, api }) {
  const session = await stored(api);
  const tab = await page(browser);
  await tab.goto(`${url}/sessions/${session.id}`);
  const lap = session.laps.find((one) => one.eligible && one.id !== session.best_lap);
  const row = tab.locator(`[data-lap="${lap.id}"]`);
  await row.waitFor();
  await tab.shot("session-dark");
  await row.getByRole("button", { name: /Exclude/ }).click();
  // Only the chip: the text of the buttons contains "exclude", too.
  await row.locator(".chip", { hasText: "excluded" }).waitFor();
  assert.equal((await api(`/api/v1/laps/${lap.id}`)).excluded, true);
  await tab.getByRole("button", { name: "Undo" }).click();
  await until("included again", async () => (await api(`/api/v1/laps/${lap.id}`)).excluded === false);
  await row.getByRole("button", { name: /^Edit/ }).click();
  await tab.getByLabel("Note").fill("a note");
  await tab.getByLabel("Tags").fill("wet, new tyres");
  await tab.shot("session-edit");
  await tab.getByRole("button", { name: "Save" }).click();
  await row.getByText("new tyres").waitFor();
  assert.deepEqual((await api(`/api/v1/laps/${lap.id}`)).tags.sort(), ["new tyres", "wet"]);
  await row.getByRole("button", { name: /Delete/ }).click();
  await row.waitFor({ state: "detached" });
  await tab.getByRole("button", { name: "Undo" }).last().click();
  await row.waitFor();
  await row.getByRole("checkbox").check();
  await tab.getByRole("link", { name: "Compare", exact: true }).last().click();
  await until("compare", async () => tab.url().includes(`/compare?laps=${session.best_lap},${lap.id}`));
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function progress_and_tapes_show_what_the_server_has({ browser, url, api }) {
  const tab = await page(browser);
  await tab.goto(`${url}/progress`);
  await tab.getByText("Best ever").waitFor();
  await tab.shot("progress-dark");
  await tab.goto(`${url}/tapes`);
  await tab.locator(".tapes tbody tr").first().waitFor();
  assert.equal(await tab.locator(".tapes tbody tr").count(), (await api("/api/v1/tapes?limit=500")).tapes.length);
  await tab.shot("tapes-dark");
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function progress_over_days_is_a_curve_with_the_days_below({ browser, url, api }) {
  // Mock three weeks of driving: today's laps, spread over several days.
  const days = [20, 14, 13, 9, 8, 3, 2, 0];
  const { laps } = await api("/api/v1/laps?phase=flying&limit=500");
  const counting = laps.filter((lap) => lap.eligible);
  assert(counting.length >= days.length, `${counting.length} laps`);
  const shifted = laps.map((lap, n) => {
    const ago = days[Math.floor((n * days.length) / laps.length)];
    const slower = lap.time_ms == null ? null : lap.time_ms + ago * 40 + (n % 3) * 90;
    return { ...lap, time_ms: slower, started_utc: new Date(Date.parse(lap.started_utc) - ago * 24 * 3600 * 1000).toISOString() };
  });
  for (const [size, options] of [["wide", {}], ["phone", { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, colorScheme: "light" }]]) {
    const tab = await page(browser, options);
    await tab.route("**/api/v1/laps?*", (route) => route.fulfill({ json: { laps: shifted, next: null } }));
    await tab.goto(`${url}/progress`);
    const plot = tab.getByRole("img", { name: "Best, median and spread per day" });
    await plot.locator("canvas").waitFor();
    const rows = await tab.getByRole("region", { name: "Days" }).locator("tbody tr").count();
    assert(rows >= 6, `${rows} days`);
    await tab.getByText(`on ${rows} days`).waitFor();
    await tab.getByRole("region", { name: "Changes" }).getByText("Median").waitFor();
    // The plot is as wide as its panel, also after a resize.
    const widths = () => plot.evaluate((panel) => [panel.clientWidth, panel.querySelector("canvas").clientWidth]);
    await until("the plot fills its panel", async () => { const [panel, canvas] = await widths(); return panel === canvas; });
    await tab.waitForTimeout(300);
    await tab.shot(`progress-days-${size}`);
    assert.deepEqual(tab.violations, []);
    await tab.done();
  }
}

export async function pages_can_be_used_by_keyboard_alone({ browser, url }) {
  const tab = await page(browser);
  await tab.goto(url);
  await tab.locator("main").waitFor();
  await tab.keyboard.press("s");
  await tab.getByRole("heading", { name: "Sessions" }).waitFor();
  await tab.keyboard.press("?");
  await tab.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  await tab.shot("keys");
  await tab.keyboard.press("Escape");
  await tab.keyboard.press("/");
  await tab.keyboard.type("ring s");
  assert(tab.url().includes("q=ring"), "letters are typed, not handled as shortcuts");
  await tab.keyboard.press("Tab");
  const outline = await tab.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(outline, "solid", "the focused element is visible");
  assert.deepEqual(tab.violations, []);
  await tab.done();
}
