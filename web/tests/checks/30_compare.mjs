// The comparison of laps.

import assert from "node:assert/strict";
import { page } from "../browser.mjs";
import { until } from "../programs.mjs";

async function threeLaps(api) {
  const { laps } = await api("/api/v1/laps?sort=fastest&valid=true&limit=40");
  const good = laps.filter((lap) => lap.eligible && lap.complete);
  return [good[0], good[good.length - 1], good[Math.floor(good.length / 2)]].map((lap) => lap.id);
}

const shownDelta = (tab) => tab.locator('[data-channel="Delta"] .readout span').first().textContent();

export async function the_delta_equals_that_of_the_api({ browser, url, api }) {
  const [a, b] = await threeLaps(api);
  const answer = await api(`/api/v1/compare?laps=${a},${b}&channels=speed_kmh&step_m=5`);
  const tab = await page(browser);
  const rows = [0.2, 0.5, 0.8].map((share) => Math.floor(answer.distance_m.length * share));
  for (const row of rows) {
    const metres = answer.distance_m[row];
    await tab.goto(`${url}/compare?laps=${a},${b}&at=${Math.round(metres)}`);
    await tab.locator('[data-channel="Delta"] canvas').waitFor();
    const ms = answer.laps[1].delta_ms[row];
    const wanted = `${ms > 0 ? "+" : "−"}${(Math.abs(ms) / 1000).toFixed(3)}`;
    await until(`the delta ${wanted} at ${metres} m`, async () => (await shownDelta(tab)) === wanted, 10).catch(async (error) => { throw new Error(`${error.message}; it shows ${await shownDelta(tab)}`); });
  }
  await tab.shot("compare-dark");
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function a_link_shows_the_same_view({ browser, url, api }) {
  const ids = await threeLaps(api);
  const tab = await page(browser);
  await tab.goto(`${url}/compare?laps=${ids.join(",")}`);
  const plot = tab.locator('[data-channel="Delta"] .u-over');
  await plot.waitFor();
  const box = await plot.boundingBox();
  // Zoom by dragging, set the cursor, add a channel and remove one.
  await tab.mouse.move(box.x + box.width * 0.3, box.y + 40);
  await tab.mouse.down();
  await tab.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 5 });
  await tab.mouse.up();
  await until("the range in the address", async () => /[?&]x=\d+-\d+/.test(tab.url()));
  await tab.mouse.click(box.x + box.width * 0.5, box.y + 40);
  await until("the cursor in the address", async () => /[?&]at=\d+/.test(tab.url()));
  await tab.getByRole("button", { name: "Remove Steering" }).click();
  await tab.getByPlaceholder("Add a channel").click();
  await until("the names of channels", async () => (await tab.locator("#channels option").count()) > 5);
  await tab.getByPlaceholder("Add a channel").fill("rpm");
  await tab.locator('[data-channel="Engine"]').waitFor();
  const state = async (one) => one.evaluate(() => ({
    plots: [...document.querySelectorAll(".plot")].map((plot) => plot.dataset.channel),
    values: [...document.querySelectorAll(".readout")].map((values) => values.textContent),
    laps: [...document.querySelectorAll(".chosen-time")].map((time) => time.textContent),
  }));
  await until("values", async () => (await state(tab)).values.every(Boolean));
  const mine = await state(tab);
  assert(mine.plots.includes("Engine") && !mine.plots.includes("Steering"), String(mine.plots));
  await tab.shot("compare-zoomed");
  const other = await page(browser, { colorScheme: "light" });
  await other.goto(tab.url());
  await until("the same view", async () => JSON.stringify(await state(other)) === JSON.stringify(mine), 10)
    .catch(async () => assert.deepEqual(await state(other), mine));
  await other.shot("compare-light");
  assert.deepEqual([...tab.violations, ...other.violations], []);
  await tab.done();
  await other.done();
}

export async function laps_can_be_picked_corners_stepped_through_and_plots_saved({ browser, url }) {
  const tab = await page(browser);
  await tab.goto(`${url}/compare`);
  await tab.getByText("Choose the reference lap").waitFor();
  await tab.locator(".picker li button").first().click();
  await tab.getByText("Choose a lap to compare").waitFor();
  await tab.shot("compare-picker");
  await tab.locator(".picker li button:not(:disabled)").last().click();
  await tab.locator('[data-channel="Speed"] canvas').waitFor();
  await tab.keyboard.press("n");
  await until("the corner in the address", async () => /[?&]x=\d+-\d+/.test(tab.url()));
  await tab.keyboard.press("0");
  await until("the whole lap", async () => !/[?&]x=/.test(tab.url()));
  const [download] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("button", { name: "Save Speed as PNG" }).click()]);
  assert.equal(download.suggestedFilename(), "gametape-speed.png");
  assert.deepEqual(tab.violations, []);
  await tab.done();
}
