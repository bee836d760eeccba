// One tape: channels, marks, playback, download and export.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { page } from "../browser.mjs";
import { freePort, start, until } from "../programs.mjs";

async function closedTape(api) {
  const { tapes } = await api("/api/v1/tapes?limit=500");
  const tape = tapes.find((one) => one.complete && !one.missing);
  assert(tape, "no closed tape");
  return tape;
}

const speed = '[data-channel="physics/speedKmh"]';

export async function a_tape_shows_its_contents_and_can_be_zoomed({ browser, url, api }) {
  const { id } = await closedTape(api);
  const inside = await api(`/api/v1/tapes/${id}`);
  const tab = await page(browser);
  await tab.goto(`${url}/tapes`);
  await tab.locator(`[data-tape="${id}"] a`).first().click();
  const plot = tab.locator(`${speed} .u-over`);
  await plot.waitFor();
  assert.equal(await tab.locator(".plot").count(), inside.usual.length);
  assert.equal(await tab.locator(".strip-lap").count(), inside.sessions.flatMap((one) => one.laps).length);
  await until("the channels", async () => (await tab.locator(".plots[data-step]:not([data-loading])").count()) === 1);
  const step = async () => Number(await tab.locator(".plots").getAttribute("data-step"));
  const coarse = await step();
  await plot.scrollIntoViewIfNeeded();
  await tab.evaluate(() => scrollTo(0, 0));
  const box = await plot.boundingBox();
  await tab.mouse.move(box.x + box.width / 2, box.y + 20);
  await until("values under the cursor", async () => /\d:\d\d +\d+/.test(await tab.locator(`${speed} .readout`).textContent()));
  await tab.shot("tape-dark");
  await tab.mouse.move(box.x + box.width * 0.4, box.y + 20);
  await tab.mouse.down();
  await tab.mouse.move(box.x + box.width * 0.5, box.y + 20, { steps: 5 });
  await tab.mouse.up();
  await until("the range in the address", async () => /[?&]x=[\d.]+-[\d.]+/.test(tab.url()));
  await until("a finer overview", async () => (await step()) < coarse / 5);
  await tab.getByRole("button", { name: "Remove fuel" }).click();
  await tab.getByPlaceholder("Add a channel").click();
  await tab.getByPlaceholder("Add a channel").fill("physics/wheelSlip.2");
  await tab.locator('[data-channel="physics/wheelSlip.2"] canvas').waitFor();
  await tab.evaluate(() => scrollTo(0, 0));
  await tab.shot("tape-zoomed");
  const state = (one) => one.evaluate(() => ({ plots: [...document.querySelectorAll(".plot")].map((plot) => plot.dataset.channel), step: document.querySelector(".plots")?.dataset.step }));
  const mine = await state(tab);
  const other = await page(browser, { colorScheme: "light" });
  await other.goto(tab.url());
  await until("the same view", async () => JSON.stringify(await state(other)) === JSON.stringify(mine), 10).catch(async () => assert.deepEqual(await state(other), mine));
  await other.keyboard.press("0");
  await until("the whole tape", async () => !/[?&]x=/.test(other.url()));
  await other.locator(".strip-lap.best").first().click();
  await other.getByRole("heading", { name: /^Lap \d/ }).waitFor();
  await until("the lap", async () => (await other.locator(".plots:not([data-loading])").count()) === 1);
  await other.shot("tape-light");
  const [download] = await Promise.all([other.waitForEvent("download"), other.getByRole("button", { name: "Save speedKmh as PNG" }).click()]);
  assert.equal(download.suggestedFilename(), "gametape-speedkmh.png");
  assert.deepEqual([...tab.violations, ...other.violations], []);
  await tab.done();
  await other.done();
}

export async function a_tape_is_downloaded_and_exported({ browser, url, api, home }) {
  const tape = await closedTape(api);
  const inside = await api(`/api/v1/tapes/${tape.id}`);
  const tab = await page(browser);
  await tab.goto(`${url}/tapes/${tape.id}`);
  const [file] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("button", { name: "Download" }).click()]);
  assert.equal(file.suggestedFilename(), tape.file);
  const whole = Buffer.from(await (await fetch(`${url}/api/v1/tapes/${tape.id}/file`)).arrayBuffer());
  assert.equal(whole.length, tape.bytes);
  assert(readFileSync(await file.path()).equals(whole), "the file is the tape");
  const lap = inside.sessions.flatMap((one) => one.laps).find((one) => one.complete);
  await tab.getByRole("button", { name: "Export" }).click();
  await tab.getByRole("dialog").getByRole("combobox").selectOption(String(lap.tape_lap));
  await tab.shot("tape-export");
  const [table] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("dialog").getByRole("button", { name: "Export" }).click()]);
  assert(table.suggestedFilename().endsWith(`_lap${String(lap.tape_lap).padStart(2, "0")}.csv`), table.suggestedFilename());
  const rows = readFileSync(await table.path(), "utf8").trim().split("\r\n");
  assert(rows[0].startsWith("time_ns,time_s,utc,lap,lap_distance_m,") && rows[0].split(",").includes("speedKmh"), rows[0]);
  const numbers = new Set(rows.slice(1).map((row) => row.split(",")[3]));
  assert.deepEqual([...numbers], [String(lap.tape_lap)], "only rows of that lap");
  // The report is the page of `gametape export --to html`: it opens from disk, offline, with the laps of this tape.
  await tab.getByRole("button", { name: "Export" }).click();
  await tab.getByRole("dialog").getByLabel("Report").check();
  await tab.shot("tape-export-report");
  const [saved] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("dialog").getByRole("button", { name: "Export" }).click()]);
  assert.equal(saved.suggestedFilename(), tape.file.replace(/gtape$/, "html"));
  const html = join(home.folder, "from-the-page.html");
  await saved.saveAs(html);
  const context = await browser.newContext({ offline: true });
  const report = await context.newPage();
  await report.goto(pathToFileURL(html).href);
  await report.locator('[data-channel="Speed"] canvas').waitFor();
  assert.equal(await report.locator(".laps tbody tr").count(), inside.sessions[0].laps.length);
  await context.close();
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function a_tape_is_played_from_the_page({ browser, home }) {
  const [port, names] = [await freePort(), `web-${process.pid}-`];
  const server = start(home, ["serve", "--bind", `127.0.0.1:${port}`, "--store", home.demoStore, "--names", names]);
  const url = await server.url();
  const api = async (path) => (await fetch(url + path)).json();
  const tape = await closedTape(api);
  const tab = await page(browser);
  await tab.goto(`${url}/tapes/${tape.id}`);
  const panel = tab.locator(".player");
  await panel.locator("xpath=self::*[@data-state='idle']").waitFor();
  await tab.getByRole("button", { name: "Play", exact: true }).click();
  await tab.locator('.player[data-state="playing"]').waitFor();
  const memory = `/dev/shm/${names}acpmf_physics`;
  assert(existsSync(memory), "the game's shared memory exists");
  const position = async () => (await api("/api/v1/playback")).position_ns;
  const before = await position();
  await until("it moves", async () => (await position()) > before + 2e8);
  const refused = await fetch(`${url}/api/v1/tapes/${tape.id}/play`, { method: "POST", headers: { origin: url, "content-type": "application/json" }, body: "{}" });
  assert.equal(refused.status, 409);
  assert.equal((await refused.json()).error.code, "already_playing");
  await tab.locator(".player select").selectOption("10");
  await tab.getByLabel("Loop").check();
  await tab.getByRole("button", { name: "+1 min" }).click();
  await until("a minute later", async () => (await position()) > before + 60e9);
  await until("settings", async () => { const now = await api("/api/v1/playback"); return now.speed === 10 && now.loop; });
  await tab.waitForTimeout(600);
  await tab.shot("tape-playing");
  // A focused button would handle the key itself.
  await tab.locator("h1").click();
  await tab.keyboard.press(" ");
  await tab.locator('.player[data-state="paused"]').waitFor();
  const paused = await position();
  await tab.waitForTimeout(300);
  assert.equal(await position(), paused, "playback is paused");
  await tab.locator(".player input[type=range]").evaluate((slider) => { slider.value = "20"; slider.dispatchEvent(new Event("input")); slider.dispatchEvent(new Event("change")); });
  await until("the position of the slider", async () => Math.abs((await position()) - 20e9) < 3e8);
  await tab.getByRole("button", { name: "Stop" }).click();
  await tab.locator('.player[data-state="idle"]').waitFor();
  assert(!existsSync(memory), "the shared memory is removed");
  // Play only a selection; the server stops it on shutdown.
  await tab.locator(".strip-lap.best").first().click();
  await tab.getByRole("button", { name: "Play selection" }).click();
  await tab.locator('.player[data-state="playing"]').waitFor();
  const now = await api("/api/v1/playback");
  assert(now.to_ns - now.from_ns < 60e9, "one lap, not the whole tape");
  assert.deepEqual(tab.violations, []);
  tab.watch.quiet = true;
  await server.kill();
  assert(!existsSync(memory), "the server stopped its playback");
  await tab.done();
}

export async function marks_of_a_recording_show_on_its_tape({ browser, url, api, home }) {
  const marking = start(home, ["mark", "a mark of the test"]);
  await marking.ended;
  const { tapes } = await api("/api/v1/tapes?limit=500");
  const running = await until("the mark", async () => {
    for (const tape of tapes.filter((one) => !one.complete)) {
      const inside = await api(`/api/v1/tapes/${tape.id}`);
      if (inside.events?.some((event) => event.text === "a mark of the test")) return tape;
    }
    return null;
  });
  const tab = await page(browser);
  await tab.goto(`${url}/tapes/${running.id}`);
  await tab.getByRole("button", { name: /Mark at .*a mark of the test/ }).waitFor();
  assert(await tab.getByRole("button", { name: "Download" }).isDisabled(), "the tape is not closed");
  await tab.shot("tape-running");
  await tab.getByRole("button", { name: /Mark at/ }).first().click();
  await until("the range around it", async () => /[?&]x=/.test(tab.url()));
  assert.deepEqual(tab.violations, []);
  await tab.done();
}
