// The viewer: tapes opened in the browser, from a static host, as a file and by ranges of a URL.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { shots } from "../browser.mjs";
import { host, viewerOf } from "../hosts.mjs";
import { binary, dataFolder, freePort, until } from "../programs.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const UNDER = "/some/where/";
const EVIL = "<img src=x onerror=alert(1)>.gtape";

export async function missing({ url }) {
  const there = await viewerOf(url, UNDER)(`${UNDER}gametape.wasm`);
  return there ? null : { name: "web_viewer", text: "the viewer has no gametape.wasm: rustup target add wasm32-unknown-unknown, then scripts/viewer-wasm" };
}

/** Two finished demo tapes with their laps. Created once. */
let made = null;
function tapes() {
  if (made) return made;
  const home = dataFolder();
  const run = (...args) => execFileSync(binary, args, { env: home.env, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
  const drive = (seed) => {
    const tape = run("demo", "--laps", "3", "--speed", "60", "--seed", seed, "--exit").trim();
    return { tape, bytes: readFileSync(tape), session: JSON.parse(run("laps", tape, "--json")).sessions[0] };
  };
  made = { home, run, a: drive("9"), b: drive("12") };
  process.on("exit", home.remove);
  return made;
}

/** The viewer on a static host, below a path and without headers of its own, and a page in it. Everything that the browser asks for is kept. */
async function viewer(url, browser, { query = "", ...options } = {}) {
  const site = await host({ find: viewerOf(url, UNDER) });
  const context = await browser.newContext({ viewport: { width: 1366, height: 900 }, colorScheme: "dark", ...options });
  const tab = await context.newPage();
  const [violations, asked] = [[], []];
  // A request that fails is an error message of the browser: tests of that look at the page instead.
  tab.on("console", (message) => { if (["error", "warning"].includes(message.type()) && !/Failed to load resource|CORS policy/.test(message.text())) violations.push(`console: ${message.text()}`); });
  tab.on("pageerror", (error) => violations.push(`error: ${error.message}`));
  tab.on("dialog", (dialog) => { violations.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  context.on("request", (request) => asked.push(request.url()));
  await tab.goto(`${site.url}${UNDER}${query}`);
  const done = async () => { await context.close(); await site.close(); };
  const shot = (name) => tab.screenshot({ path: join(shots, `${name}.png`) });
  const choose = (files) => tab.setInputFiles("input[type=file]", files);
  return Object.assign(tab, { violations, asked, site, done, shot, choose });
}

const asFile = (buffer, name = "race.gtape") => ({ name, mimeType: "application/octet-stream", buffer });
const pad = (ms) => `${Math.floor(ms / 60000)}:${String(Math.floor(ms / 1000) % 60).padStart(2, "0")}.${String(ms % 1000).padStart(3, "0")}`;
const readout = async (tab, channel) => Number((await tab.locator(`[data-channel="${channel}"] .readout span`).first().textContent()).replace("−", "-").replace("±", ""));
const traces = (tab) => tab.locator('tr[data-lap] input:checked').first().waitFor({ timeout: 60_000 });
const OWN = new RegExp(`^http://127\\.0\\.0\\.1:\\d+${UNDER}(\\?.*|assets/(index|worker|icon)-[\\w-]+\\.(js|css|svg)|gametape\\.wasm)?$`);

async function assertLaps(tab, session) {
  for (const lap of session.laps) {
    const cells = await tab.locator(`tr[data-lap="${lap.tape_lap}"] td`).allTextContents();
    if (lap.time_ms !== null) assert.equal(cells[2], pad(lap.time_ms), cells.join(" | "));
    for (const [n, ms] of lap.sectors_ms.entries()) if (ms !== null) assert(cells[4 + n].includes((ms / 1000).toFixed(3)), cells.join(" | "));
  }
  assert.equal(await tab.locator("tr[data-lap]").count(), session.laps.length);
}

export async function the_viewer_opens_a_file_with_its_laps_and_asks_for_nothing_else({ browser, url }) {
  const { a, run } = tapes();
  const tab = await viewer(url, browser);
  await tab.shot("viewer-start");
  await tab.choose([asFile(a.bytes, EVIL)]);
  await traces(tab);
  assert.equal(await tab.locator(".report-file").textContent(), EVIL);
  assert.equal(await tab.locator("img").count(), 0);
  await assertLaps(tab, a.session);
  assert.equal(await tab.locator('[aria-label="Track map"] .lap-place').count(), 2);
  await tab.shot("viewer-laps");

  // Full detail on zoom: at the cursor is a value that the tape has at that moment, within two frames.
  const speeds = run("cat", a.tape, "--channels", "speedKmh").trim().split("\n").slice(1).map((line) => line.split(",").map(Number));
  await tab.getByRole("tab", { name: "Tape over time" }).click();
  const plot = tab.locator('[data-channel="Speed"] .u-over');
  await plot.waitFor();
  await plot.scrollIntoViewIfNeeded();
  const drag = async (from, to) => {
    // A plot is made anew when its values change.
    const box = await until("the plot", () => plot.boundingBox());
    await tab.mouse.move(box.x + box.width * from, box.y + 50);
    await tab.mouse.down();
    await tab.mouse.move(box.x + box.width * to, box.y + 50, { steps: 4 });
    await tab.mouse.up();
  };
  await drag(0.4, 0.6);
  await until("the zoom", async () => tab.getByRole("button", { name: "Reset" }).isEnabled());
  await drag(0.45, 0.55);
  await tab.locator('.plots[data-detail="full"]').waitFor({ timeout: 20_000 });
  const box = await until("the finer plot", () => plot.boundingBox());
  for (const share of [0.2, 0.5, 0.8]) {
    await tab.mouse.move(box.x + box.width * share, box.y + 60);
    const [, m, s] = (await tab.locator(".cursor-place").textContent()).match(/^(\d+):(\d+\.\d+)/);
    const at = (Number(m) * 60 + Number(s)) * 1e9;
    const near = speeds.filter(([ns]) => Math.abs(ns - at) <= 45e6).map(([, kmh]) => kmh);
    const shown = await readout(tab, "Speed");
    assert(near.some((kmh) => Math.abs(kmh - shown) <= 0.51), `${at / 1e9} s: ${shown}, not one of ${near}`);
  }
  await tab.shot("viewer-detail");

  assert.deepEqual(tab.asked.filter((one) => !OWN.test(one) && !/^(data|blob):/.test(one)), []);
  assert.deepEqual(tab.site.log.filter(({ path, method }) => method !== "GET" || !path.startsWith(UNDER)), []);
  assert(tab.site.log.some(({ path }) => path.endsWith("gametape.wasm")), "the log of the host is that of this page");
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function the_viewer_reads_a_url_of_another_origin_by_ranges({ browser, url }) {
  const { a } = tapes();
  for (const exposed of [true, false]) {
    const other = await host({ find: (path) => (path === "/tapes/race 1.gtape" ? a.tape : null), cors: "*", exposed });
    const tab = await viewer(url, browser, { query: `?tape=${encodeURIComponent(`${other.url}/tapes/race%201.gtape`)}` });
    await traces(tab);
    await assertLaps(tab, a.session);
    assert.equal(await tab.locator(".report-file").textContent(), "race 1.gtape");
    const reads = other.log.filter(({ method }) => method === "GET");
    assert(reads.length > 1 && reads.every(({ path, range }) => path === "/tapes/race%201.gtape" && /^bytes=\d+-\d+$/.test(range)), JSON.stringify(other.log));
    assert.deepEqual(other.log.filter(({ method }) => !["GET", "OPTIONS", ...(exposed ? [] : ["HEAD"])].includes(method)), []);
    const elsewhere = tab.asked.filter((one) => !OWN.test(one) && one !== `${other.url}/tapes/race%201.gtape`);
    assert.deepEqual(elsewhere, []);
    assert.deepEqual(tab.violations, []);
    await tab.done();
    await other.close();
  }
}

export async function the_viewer_compares_laps_of_two_tapes({ browser, url }) {
  const { a, b, run } = tapes();
  const tab = await viewer(url, browser);
  await tab.choose([asFile(a.bytes, "first.gtape")]);
  await traces(tab);
  await tab.choose([asFile(b.bytes, "second.gtape")]);
  await tab.locator(".chosen-tape", { hasText: "second.gtape" }).waitFor({ timeout: 60_000 });
  await assertLaps(tab, b.session);
  // Only the best lap of each, that of the first tape as the reference.
  const best = (session) => session.laps.find((lap) => lap.id === session.best_lap);
  await tab.locator(".chosen li", { hasText: "first.gtape" }).filter({ hasNotText: "reference" }).getByRole("button").click();
  await until("two laps", async () => (await tab.locator(".chosen li").count()) === 2);
  assert.match(await tab.locator(".chosen li").nth(0).textContent(), new RegExp(`first\\.gtape.*${pad(best(a.session).time_ms)}`));
  assert.match(await tab.locator(".chosen li").nth(1).textContent(), new RegExp(`second\\.gtape.*${pad(best(b.session).time_ms)}`));
  const right = JSON.parse(run("compare", `${a.tape}#${best(a.session).tape_lap}`, `${b.tape}#${best(b.session).tape_lap}`, "--json"));
  await tab.locator('[data-channel="Delta"] canvas').waitFor();
  await tab.locator("h1").click();
  for (let hundred = 1; hundred <= 8; hundred += 1) {
    for (let n = 0; n < 4; n += 1) await tab.keyboard.press("Shift+ArrowRight");
    const at = right.grid.find((row) => row.distance_m === hundred * 100);
    await until(`${hundred * 100} m`, async () => (await tab.locator(".cursor-place").textContent()) === `${hundred * 100} m`);
    const shown = await readout(tab, "Delta");
    assert(Math.abs(shown * 1000 - at.delta_ms) < 6, `${hundred * 100} m: ${shown} s, not ${at.delta_ms} ms`);
  }
  await tab.shot("viewer-two-tapes");
  // The first tape again, and without the second.
  await tab.locator(".tape-tools select").selectOption({ index: 0 });
  await assertLaps(tab, a.session);
  await tab.locator(".tape-tools select").selectOption({ index: 1 });
  await tab.getByRole("button", { name: "Close second.gtape" }).click();
  await until("one lap", async () => (await tab.locator(".chosen li").count()) === 1);
  await assertLaps(tab, a.session);
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function the_viewer_says_what_is_wrong_with_a_file({ browser, url }) {
  const { a } = tapes();
  const flipped = Buffer.from(a.bytes);
  for (let n = 0; n < 400; n += 1) flipped[Math.floor(flipped.length * 0.4) + n] ^= 0x55;
  const noise = Buffer.from(Array.from({ length: 300_000 }, (_, n) => (n * 2654435761) >>> 24));
  const forged = Buffer.concat([a.bytes.subarray(0, 4096), noise]);
  const kind = async (tab) => tab.locator("[data-problem]").first().getAttribute("data-problem", { timeout: 30_000 });
  for (const [name, bytes, right] of [["empty.gtape", Buffer.alloc(0), "not-a-tape"], ["noise.gtape", noise, "not-a-tape"], ["report.html", Buffer.from("<html>"), "not-a-tape"]]) {
    const tab = await viewer(url, browser);
    await tab.choose([asFile(bytes, name)]);
    assert.equal(await kind(tab), right, name);
    assert.match(await tab.locator(".trouble").textContent(), new RegExp(`${name}.*`));
    if (name === "noise.gtape") await tab.shot("viewer-not-a-tape");
    // It can be closed, and another one opened.
    await tab.getByRole("button", { name: `Close ${name}` }).click();
    await tab.choose([asFile(a.bytes)]);
    await traces(tab);
    assert.deepEqual(tab.violations, []);
    await tab.done();
  }
  // Damaged and forged tapes show what is intact, or say why nothing is; the page goes on working.
  for (const [name, bytes] of [["flipped.gtape", flipped], ["cut.gtape", a.bytes.subarray(0, a.bytes.length * 0.6)], ["forged.gtape", forged]]) {
    const tab = await viewer(url, browser);
    await tab.choose([asFile(bytes, name)]);
    await until(`an end of ${name}`, async () => (await tab.locator(".note progress").count()) === 0 && (await tab.locator(".note.bad, .report-foot").count()) > 0, 60);
    if (name === "flipped.gtape") {
      assert((await tab.locator("tr[data-lap]").count()) > 0);
      assert.match(await tab.locator(".note.bad").textContent(), /damaged/);
      await tab.shot("viewer-damaged");
    }
    await tab.choose([asFile(a.bytes)]);
    await until("the intact tape", async () => (await tab.locator(".note progress").count()) === 0 && (await tab.locator("tr[data-lap]").count()) === a.session.laps.length, 60);
    assert.deepEqual(tab.violations, []);
    await tab.done();
  }
}

export async function the_viewer_says_what_is_wrong_with_a_server({ browser, url }) {
  const { a } = tapes();
  const find = (path) => (path === "/a.gtape" ? a.tape : null);
  const nobody = await freePort();
  const hosts = { whole: await host({ find, ranges: false, cors: "*" }), strict: await host({ find }), good: await host({ find, cors: "*" }) };
  const cases = [
    [`${hosts.whole.url}/a.gtape`, "no-ranges", "range requests"],
    [`${hosts.strict.url}/a.gtape`, "not-allowed", "Access-Control-Allow-Origin"],
    [`${hosts.good.url}/b.gtape`, "answer", "404"],
    [`http://127.0.0.1:${nobody}/a.gtape`, "unreachable", "cannot be reached"],
  ];
  for (const [tape, right, text] of cases) {
    const tab = await viewer(url, browser, { query: `?tape=${encodeURIComponent(tape)}` });
    await tab.locator("[data-problem]").waitFor({ timeout: 30_000 });
    assert.equal(await tab.locator("[data-problem]").getAttribute("data-problem"), right);
    assert((await tab.locator(".trouble").textContent()).includes(text), await tab.locator(".trouble").textContent());
    assert.deepEqual(tab.violations, []);
    await tab.done();
  }
  // The tape changes on the server while it is read.
  const parts = [a.bytes, a.bytes.subarray(0, a.bytes.length - 5000)];
  let reads = 0;
  const moving = await host({ find: () => { reads += 1; return parts[reads > 2 ? 1 : 0]; }, cors: "*" });
  const tab = await viewer(url, browser, { query: `?tape=${encodeURIComponent(`${moving.url}/a.gtape`)}` });
  await tab.locator("[data-problem]").first().waitFor({ timeout: 30_000 });
  assert.match(await tab.locator(".trouble").textContent(), /changed/);
  await tab.done();
  // A copy without its WebAssembly.
  const files = viewerOf(url, UNDER);
  const broken = await host({ find: (path) => (path.endsWith(".wasm") ? null : files(path)) });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${broken.url}${UNDER}`);
  await page.setInputFiles("input[type=file]", [asFile(a.bytes)]);
  assert.match(await page.locator('[data-problem="no-wasm"]').textContent(), /wasm32-unknown-unknown/);
  await context.close();
  for (const one of [...Object.values(hosts), moving, broken]) await one.close();
}

export async function the_viewer_works_on_a_phone_and_is_accessible({ browser, url }) {
  const { a } = tapes();
  for (const colorScheme of ["dark", "light"]) {
    const phone = await viewer(url, browser, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true, colorScheme });
    await phone.shot(`viewer-phone-start-${colorScheme}`);
    assert((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    await phone.choose([asFile(a.bytes, "assetto-corsa-competizione_gametape-ring_20261119_222913.gtape")]);
    await traces(phone);
    await phone.locator('[data-channel="Speed"] canvas').waitFor();
    await phone.screenshot({ path: join(shots, `viewer-phone-${colorScheme}.png`), fullPage: true });
    assert((await phone.evaluate(() => document.documentElement.scrollWidth)) <= 390);
    assert.deepEqual(phone.violations, []);
    await phone.done();
    const tab = await viewer(url, browser, { colorScheme, bypassCSP: true });
    const check = async (view) => {
      await tab.evaluate(axe);
      const { violations } = await tab.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      const serious = violations.filter((one) => ["serious", "critical"].includes(one.impact));
      assert.deepEqual(serious.map((one) => `${view} (${colorScheme}): ${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ""}`).join(" | ")}`), []);
    };
    await check("start");
    await tab.choose([asFile(Buffer.from("x"), "x.gtape")]);
    await tab.locator(".trouble").waitFor();
    await check("problem");
    await tab.choose([asFile(a.bytes)]);
    await traces(tab);
    for (const view of ["Laps by distance", "Tape over time"]) {
      await tab.getByRole("tab", { name: view }).click();
      await tab.locator('[data-channel="Speed"] canvas').waitFor();
      await check(view);
    }
    if (colorScheme === "light") await tab.shot("viewer-light");
    await tab.done();
  }
}

/** A capture of Echo VR: two players and the disc, ten seconds at 30 a second. */
function capture() {
  const lines = [];
  for (let n = 0; n < 300; n += 1) {
    const at = `2026/11/19 12:00:${(n / 30).toFixed(3).padStart(6, "0")}`;
    const player = (name, z) => ({ name, head: { position: [1, 2, z] }, velocity: [0, 0, 0], stats: {}, possession: false, stunned: false, ping: 10, playerid: 0, userid: 1, number: 1, level: 1, blocking: false, invulnerable: false });
    const response = { sessionid: "0F000000-0000-0000-0000-000000000001", game_status: "playing", map_name: "mpl_arena_a", match_type: "Echo_Arena", client_name: "Driver 1", game_clock: 600 - n / 30, blue_points: 0, orange_points: 0, disc: { position: [0, 5, -30 + n / 5], velocity: [0, 0, 6], bounce_count: 0 }, teams: [{ team: "BLUE TEAM", players: [player("Driver 1", -20)] }, { team: "ORANGE TEAM", players: [player("Driver 2", 20)] }, { team: "SPECTATORS" }] };
    lines.push(`${at}\t${JSON.stringify(response)}`);
  }
  return `${lines.join("\n")}\n`;
}

export async function the_viewer_shows_a_match_from_above({ browser, url }) {
  const { home, run } = tapes();
  const [source, tape] = ["match.echoreplay", "match.gtape"].map((name) => join(home.folder, name));
  writeFileSync(source, capture());
  run("import", source, "-o", tape, "--no-store");
  const tab = await viewer(url, browser);
  await tab.choose([tape]);
  const field = tab.locator('[aria-label="Match from above"]');
  await field.waitFor({ timeout: 30_000 });
  const x = async (name) => Number((await field.locator(`[data-thing="${name}"]`).getAttribute("transform")).match(/translate\(([-\d.]+)/)[1]);
  await until("the disc", async () => (await field.locator('[data-thing="Disc"]').getAttribute("visibility")) === "visible");
  const start = await x("Disc");
  assert((await x("Driver 1")) < (await x("Driver 2")));
  await field.getByLabel("Time").fill("8");
  await until("the disc has moved", async () => (await x("Disc")) > start + 200);
  await tab.shot("viewer-match");
  await tab.locator("h1").click();
  await tab.keyboard.press("Space");
  await field.getByRole("button", { name: "Pause" }).waitFor();
  await field.getByRole("button", { name: "Play" }).waitFor({ timeout: 20_000 });
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function gametape_serves_the_viewer_with_a_policy_of_its_own({ browser, url }) {
  if (process.env.GAMETAPE_PAGES) return console.log("   left out: the program's own pages are not tested");
  const { a } = tapes();
  const context = await browser.newContext();
  const tab = await context.newPage();
  const violations = [];
  tab.on("console", (message) => { if (["error", "warning"].includes(message.type())) violations.push(message.text()); });
  const [known] = (await (await fetch(`${url}/api/v1/tapes`)).json()).tapes.filter((tape) => tape.complete);
  await tab.goto(`${url}/viewer?tape=/api/v1/tapes/${known.id}/file`);
  await traces(tab);
  assert.equal(await tab.locator(".report-file").textContent(), known.file);
  assert.match(tab.url(), /\/viewer\/\?tape=/);
  const answer = await fetch(`${url}/viewer/`);
  assert.match(answer.headers.get("content-security-policy"), /'wasm-unsafe-eval'.*connect-src 'self' http: https:/);
  assert.deepEqual(violations, []);
  assert(a.bytes.length > 0);
  await context.close();
}
