// The report of `gametape export --to html`: a single file, opened from disk, that shows the values of the tape.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { shots } from "../browser.mjs";
import { binary, dataFolder, until } from "../programs.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const EVIL = "<img src=x onerror=alert(1)>";

/** A finished demo tape with its report and laps. Created once. */
let made = null;
function report() {
  if (made) return made;
  const home = dataFolder();
  const run = (...args) => execFileSync(binary, args, { env: home.env, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
  const driven = run("demo", "--laps", "5", "--speed", "60", "--seed", "9", "--exit").trim();
  // File names may contain markup.
  const tape = join(home.folder, `${EVIL}.gtape`);
  copyFileSync(driven, tape);
  const [csv, html] = run("export", tape, "--to", "csv,html").trim().split("\n");
  const { sessions } = JSON.parse(run("laps", tape, "--json"));
  made = { home, run, tape, csv, html, url: pathToFileURL(html).href, session: sessions[0] };
  process.on("exit", home.remove);
  return made;
}

/** Opens the file in an offline browser. */
async function openFile(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1366, height: 900 }, colorScheme: "dark", offline: true, ...options });
  const tab = await context.newPage();
  const violations = [];
  tab.on("console", (message) => { if (["error", "warning"].includes(message.type())) violations.push(`console: ${message.text()}`); });
  tab.on("pageerror", (error) => violations.push(`error: ${error.message}`));
  tab.on("dialog", (dialog) => { violations.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  tab.on("request", (request) => { if (request.url() !== url && !/^(data|blob):/.test(request.url())) violations.push(`request: ${request.url()}`); });
  await tab.goto(url);
  return Object.assign(tab, { violations, shot: (name) => tab.screenshot({ path: join(shots, `${name}.png`) }), done: () => context.close() });
}

const readout = async (tab, channel) => (await tab.locator(`[data-channel="${channel}"] .readout span`).allTextContents()).map((text) => Number(text.replace("−", "-").replace("±", "")));
const pad = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}.${String(ms % 1000).padStart(3, "0")}`;

export async function a_report_from_disk_has_the_laps_of_the_tape({ browser }) {
  const { url, html, session } = report();
  console.log(`   the report of 5 laps: ${(statSync(html).size / 1e6).toFixed(2)} MB`);
  const tab = await openFile(browser, url);
  await tab.locator('[data-channel="Speed"] canvas').waitFor();
  assert.match(await tab.locator("h1").textContent(), /gametape ring/i);
  for (const lap of session.laps) {
    const cells = await tab.locator(`tr[data-lap="${lap.tape_lap}"] td`).allTextContents();
    const text = cells.join(" | ");
    if (lap.time_ms !== null) assert.equal(cells[2], pad(lap.time_ms), text);
    for (const [n, ms] of lap.sectors_ms.entries()) if (ms !== null) assert(cells[4 + n].includes((ms / 1000).toFixed(3)), text);
    assert.equal(lap.id === session.best_lap, cells[3].includes("★ best"), text);
    assert.equal(lap.valid === false, text.includes("✕ invalid"), text);
  }
  assert.equal(await tab.locator(".report-file").textContent(), `${EVIL}.gtape`);
  assert.equal(await tab.locator("img").count(), 0);
  await tab.shot("report-dark");
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function a_report_compares_laps_as_gametape_does({ browser }) {
  const { url, run, tape, session } = report();
  const good = session.laps.filter((lap) => lap.complete && lap.time_ms !== null).sort((a, b) => a.time_ms - b.time_ms);
  const [a, b] = [good[0], good[good.length - 1]];
  const right = JSON.parse(run("compare", `${tape}#${a.tape_lap}`, `${tape}#${b.tape_lap}`, "--json"));
  const tab = await openFile(browser, url);
  await tab.locator('[data-channel="Speed"] canvas').waitFor();
  // Select only these two, the faster one first.
  while ((await tab.locator(".laps input:checked").count()) > 0) await tab.locator(".laps input:checked").first().uncheck();
  for (const lap of [a, b]) await tab.locator(`tr[data-lap="${lap.tape_lap}"] input`).check();
  await tab.locator('[data-channel="Delta"] canvas').waitFor();
  await tab.locator("h1").click();
  // Rows are 2.5 m apart, half of a step: 40 rows are 100 m.
  for (let hundred = 1; hundred <= 8; hundred += 1) {
    for (let n = 0; n < 4; n += 1) await tab.keyboard.press("Shift+ArrowRight");
    const at = right.grid.find((row) => row.distance_m === hundred * 100);
    await until(`${hundred * 100} m`, async () => (await tab.locator(".cursor-place").textContent()) === `${hundred * 100} m`);
    const [delta] = await readout(tab, "Delta");
    assert(Math.abs(delta * 1000 - at.delta_ms) < 1.1, `${hundred * 100} m: ${delta} s, not ${at.delta_ms} ms`);
    const speeds = await readout(tab, "Speed");
    for (const [n, lap] of [at.a, at.b].entries()) assert(Math.abs(speeds[n] - lap.speed_kmh) <= 0.51, `${hundred * 100} m: ${speeds[n]}, not ${lap.speed_kmh} km/h`);
    const brakes = await readout(tab, "Brake");
    assert(Math.abs(brakes[1] - at.b.brake * 100) <= 1.01, `${brakes} ${at.b.brake}`);
  }
  assert.equal(await tab.locator('[aria-label="Track map"] .lap-place').count(), 2);
  await tab.keyboard.press("n");
  await until("a corner in range", async () => (await tab.locator(".corners tr.on").count()) > 0);
  await tab.shot("report-compare");
  await tab.keyboard.press("0");
  await until("the whole lap", async () => tab.getByRole("button", { name: "Reset" }).isDisabled());
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function a_report_shows_the_whole_tape_over_time({ browser }) {
  const { url, run, tape } = report();
  const speeds = run("cat", tape, "--channels", "speedKmh").trim().split("\n").slice(1).map((line) => line.split(",").map(Number)).map(([ns, kmh]) => [ns / 1e9, kmh]);
  const tab = await openFile(browser, url);
  await tab.getByRole("tab", { name: "Tape over time" }).click();
  const plot = tab.locator('[data-channel="Speed"] .u-over');
  await plot.waitFor();
  await plot.scrollIntoViewIfNeeded();
  const seconds = async () => { const [, m, s] = (await tab.locator(".cursor-place").textContent()).match(/^(\d+):(\d+\.\d+)/); return Number(m) * 60 + Number(s); };
  const whole = speeds[speeds.length - 1][0];
  // At every cursor position, the displayed value is one that the tape has around that time.
  const check = async (within) => {
    const at = await seconds();
    const near = speeds.filter(([time]) => Math.abs(time - at) <= within).map(([, kmh]) => kmh);
    const [shown] = await readout(tab, "Speed");
    assert(near.some((kmh) => Math.abs(kmh - shown) <= 0.51), `${at} s: ${shown}, not one of ${Math.min(...near)} to ${Math.max(...near)}`);
    return at;
  };
  const box = await plot.boundingBox();
  for (const share of [0.15, 0.4, 0.75]) {
    await tab.mouse.move(box.x + box.width * share, box.y + 50);
    const at = await check((2 * whole) / 1000);
    assert(Math.abs(at / whole - share) < 0.02, `${at} of ${whole}`);
    assert.equal(await tab.locator("svg.map .me").locator("..").getAttribute("visibility"), "visible");
  }
  await tab.shot("report-time");
  // Zoom by dragging: the range is the one dragged over.
  await tab.mouse.move(box.x + box.width * 0.4, box.y + 50);
  await tab.mouse.down();
  await tab.mouse.move(box.x + box.width * 0.5, box.y + 50, { steps: 5 });
  await tab.mouse.up();
  await until("the zoom", async () => tab.getByRole("button", { name: "Reset" }).isEnabled());
  await tab.mouse.move(box.x + box.width * 0.5, box.y + 60);
  await until("the middle of the zoom", async () => Math.abs((await seconds()) / whole - 0.45) < 0.005);
  await check(0.1);
  await tab.keyboard.press("+");
  await tab.keyboard.press("ArrowRight");
  await check(0.1);
  // Add another channel, and remove it.
  const add = tab.locator(".add-channel select");
  assert((await add.locator("option").count()) > 20);
  await add.selectOption("lateral_g");
  await tab.locator('[data-channel="Lateral"] canvas').waitFor();
  await tab.shot("report-time-zoomed");
  await tab.getByRole("button", { name: "Remove Lateral" }).click();
  await until("the plot is gone", async () => (await tab.locator('[data-channel="Lateral"]').count()) === 0);
  // Show a lap from the table on the tape.
  await tab.getByRole("button", { name: /on tape/ }).first().click();
  await until("the lap", async () => tab.getByRole("button", { name: "Reset" }).isEnabled());
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function a_report_works_on_a_phone_and_is_accessible({ browser }) {
  const { url } = report();
  for (const colorScheme of ["dark", "light"]) {
    const phone = await openFile(browser, url, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, colorScheme });
    await phone.locator('[data-channel="Speed"] canvas').waitFor();
    await phone.screenshot({ path: join(shots, `report-phone-${colorScheme}.png`), fullPage: true });
    assert((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    await phone.getByRole("tab", { name: "Tape over time" }).tap();
    await phone.getByRole("button", { name: "Zoom in" }).tap();
    await phone.locator('[data-channel="Speed"] .u-over').tap();
    await until("the cursor", async () => (await phone.locator(".cursor-place").textContent()) !== "");
    assert((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    assert.deepEqual(phone.violations, []);
    await phone.done();
    const tab = await openFile(browser, url, { colorScheme, bypassCSP: true });
    for (const view of ["Laps by distance", "Tape over time"]) {
      await tab.getByRole("tab", { name: view }).click();
      await tab.locator('[data-channel="Speed"] canvas').waitFor();
      await tab.evaluate(axe);
      const { violations } = await tab.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      const serious = violations.filter((one) => ["serious", "critical"].includes(one.impact));
      assert.deepEqual(serious.map((one) => `${view} (${colorScheme}): ${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ""}`).join(" | ")}`), []);
    }
    if (colorScheme === "light") await tab.shot("report-light");
    await tab.done();
  }
}
