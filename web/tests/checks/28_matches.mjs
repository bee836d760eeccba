// Matches of imported replay files: the list with its filters and pages, and one match with its events on a time line.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { page } from "../browser.mjs";
import { dataFolder, freePort, start, until } from "../programs.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const LONG = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen";

const le = (...numbers) => { const bytes = Buffer.alloc(numbers.length * 4); numbers.forEach((number, n) => bytes.writeUInt32LE(number >>> 0, n * 4)); return bytes; };
/** An Unreal string of Latin-1. */
const fstring = (text) => Buffer.concat([le(text.length + 1), Buffer.from(`${text}\0`, "latin1")]);

/** A Fortnite replay of 5 minutes with these events: kind and time in milliseconds. Its file lists no players. */
function fortnite(events) {
  const chunk = (kind, content) => Buffer.concat([le(kind, content.length), content]);
  const header = [le(0x2cf5a13d, 14, 0), fstring("++Fortnite+Release-9.41"), le(1), fstring("/Game/Athena/Maps/Athena_Terrain")];
  const ticks = Buffer.alloc(8);
  ticks.writeBigInt64LE(636_754_009_460_000_000n);
  return Buffer.concat([
    le(0x1ca2e27f, 6, 300_000, 2, 4_476_098), fstring("Unsaved Replay   "), le(0), ticks, le(1, 1, 4), Buffer.alloc(4, 9),
    chunk(0, Buffer.concat(header)), chunk(1, Buffer.alloc(20)), chunk(2, Buffer.alloc(10)),
    ...events.map(([kind, ms]) => chunk(3, Buffer.concat([fstring("id"), fstring(kind), fstring("meta"), le(ms, ms, 2), Buffer.from([1, 2])]))),
  ]);
}

/** A League of Legends replay of the second version: players with counters, a winner, no map and no time. */
function league(lengthMs, names) {
  const player = (name, n) => ({
    RIOT_ID_GAME_NAME: name, RIOT_ID_TAG_LINE: "EUW", SKIN: n === 0 ? "Ahri" : "Zed", TEAM: n === 0 ? "100" : "200", WIN: n === 0 ? "Fail" : "Win", CHAMPIONS_KILLED: String(7 * n), NUM_DEATHS: n === 0 ? "3" : "",
    ASSISTS: "12", GOLD_EARNED: "13456", MINIONS_KILLED: "221",
  });
  const json = Buffer.from(JSON.stringify({ gameLength: lengthMs, statsJson: JSON.stringify(names.map(player)) }));
  const head = Buffer.alloc(100);
  head.write("RIOT\x02\0", 0, "latin1");
  head.write("14.12.594.4901", 15, "latin1");
  return Buffer.concat([head, json, le(json.length)]);
}

/** A store with 23 matches, and a server on it. Created once. */
let made = null;
async function imported() {
  if (made) return made;
  const home = dataFolder();
  const folder = join(home.folder, "replays");
  mkdirSync(folder);
  writeFileSync(join(folder, "royale.replay"), fortnite([["playerElim", 30_000], ["playerElim", 150_000], ["playerElim", 150_900], ["playerElim", 240_000], ["ZoneUpdate", 60_000]]));
  writeFileSync(join(folder, "long.rofl"), league(1_805_000, ["Player 1", LONG]));
  for (let n = 0; n < 21; n += 1) writeFileSync(join(folder, `match-${n}.rofl`), league(900_000 + n * 60_000, ["Player 1", `Player ${n + 2}`]));
  const importing = start(home, ["import", folder]);
  const { code } = await importing.ended;
  assert.equal(code, 0, importing.said());
  const server = start(home, ["serve", "--bind", `127.0.0.1:${await freePort()}`]);
  process.on("exit", () => { void server.kill("SIGKILL"); home.remove(); });
  const url = await server.url();
  const { matches } = await (await fetch(`${url}/api/v1/matches?limit=500`)).json();
  assert.equal(matches.length, 23);
  const tape = (find) => matches.find(find).tape;
  made = { url, royale: tape((one) => one.game === "fortnite"), long: tape((one) => one.players[1]?.name.startsWith(LONG)) };
  return made;
}

export async function matches_are_listed_filtered_and_paged({ browser }) {
  const { url } = await imported();
  const tab = await page(browser);
  await tab.goto(url);
  await tab.getByRole("navigation").getByRole("link", { name: "Matches" }).click();
  const rows = tab.locator(".match-row");
  const are = (count) => until(`${count} rows`, async () => (await rows.count()) === count);
  await are(20);
  await tab.shot("matches-dark");
  await tab.getByRole("button", { name: "Load older matches" }).click();
  await are(23);
  assert.equal(await tab.getByRole("button", { name: "Load older matches" }).count(), 0);
  // What the file does not contain is a dash, never 0.
  const royale = await rows.filter({ hasText: "Athena_Terrain" }).locator(".stat .num").allTextContents();
  assert.deepEqual(royale, ["–", "5:00", "–"]);
  await tab.getByPlaceholder("Search player").fill("PLAYER 22#");
  await are(1);
  assert(tab.url().includes("player=PLAYER"), tab.url());
  assert.match(await rows.textContent(), /Player 1#EUW vs Player 22#EUW/);
  await tab.getByRole("group", { name: "Filters" }).getByLabel("Game").selectOption("fortnite");
  await tab.getByText("No matching matches").waitFor();
  await tab.getByRole("button", { name: "Clear" }).click();
  await are(20);
  assert.equal(await tab.getByPlaceholder("Search player").inputValue(), "");
  await tab.getByLabel("Map").fill("athena");
  await are(1);
  await tab.getByLabel("From").fill("2019-01-01");
  await tab.getByText("No matching matches").waitFor();
  await tab.getByLabel("From").fill("2018-01-01");
  await tab.getByLabel("Until").fill("2018-12-31");
  await are(1);
  // The address has all filters.
  const other = await page(browser, { colorScheme: "light" });
  await other.goto(tab.url());
  await until("the same view", async () => (await other.locator(".match-row").count()) === 1);
  assert.equal(await other.getByLabel("Map").inputValue(), "athena");
  await rows.click();
  await tab.getByRole("heading", { name: "Athena_Terrain" }).waitFor();
  assert.deepEqual([...tab.violations, ...other.violations], []);
  await tab.done();
  await other.done();
}

export async function a_match_shows_its_events_on_a_time_line({ browser }) {
  const { url, royale } = await imported();
  const tab = await page(browser);
  await tab.goto(`${url}/matches/${royale}`);
  const line = tab.getByRole("group", { name: "Time line" });
  await line.getByRole("button", { name: "0:30, elimination" }).waitFor();
  const facts = await tab.locator(".match-facts").evaluate((list) => Object.fromEntries([...list.children].map((one) => [one.querySelector("dt").textContent, one.querySelector("dd").textContent])));
  assert.deepEqual([facts.Result, facts.Winner, facts.Players, facts.Mode], ["–", "–", "–", "–"]);
  assert.deepEqual([facts.Length, facts.Version, facts.Map], ["5:00", "9.41", "/Game/Athena/Maps/Athena_Terrain"]);
  // 900 ms apart in 5 minutes: one mark.
  const marks = line.locator(".lane-mark");
  assert.deepEqual(await marks.evaluateAll((all) => all.map((one) => one.getAttribute("aria-label"))), [
    "0:30, elimination", "2:30 to 2:31, 2 × elimination", "4:00, elimination", "1:00, zone update",
  ]);
  const places = await marks.evaluateAll((all) => all.map((one) => { const track = one.parentElement.getBoundingClientRect(); const box = one.getBoundingClientRect(); return Math.round(((box.x + box.width / 2 - track.x) / track.width) * 100); }));
  assert.deepEqual(places, [10, 50, 80, 20]);
  // The marks are one tab stop; the arrow keys go through all lanes in the order of time.
  assert.equal(await line.locator('.lane-mark[tabindex="0"]').count(), 1);
  await marks.first().focus();
  const focused = () => tab.evaluate(() => document.activeElement.getAttribute("aria-label"));
  for (const [key, name] of [["ArrowRight", "1:00, zone update"], ["ArrowRight", "2:30 to 2:31, 2 × elimination"], ["End", "4:00, elimination"], ["ArrowRight", "4:00, elimination"], ["ArrowLeft", "2:30 to 2:31, 2 × elimination"]]) {
    await tab.keyboard.press(key);
    assert.equal(await focused(), name, key);
  }
  const list = tab.getByRole("region", { name: "List of events" });
  assert.deepEqual(await list.locator('tr[aria-current="true"] td:first-child').allTextContents(), ["2:30", "2:31"]);
  await tab.shot("match-dark");
  await tab.keyboard.press("Escape");
  assert.equal(await list.locator('tr[aria-current="true"]').count(), 0);
  assert.equal(await list.locator("tbody tr").count(), 5);
  await line.getByRole("button", { name: "zone update 1", exact: true }).click();
  await until("one kind only", async () => (await list.locator("tbody tr").count()) === 1);
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function a_match_shows_its_players_in_teams({ browser }) {
  const { url, long } = await imported();
  const tab = await page(browser);
  await tab.goto(`${url}/matches/${long}`);
  const rows = tab.getByRole("table").first().locator("tbody tr");
  await rows.nth(3).waitFor();
  const texts = await rows.evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  // A known 0 is 0; a value that the file does not have is a dash.
  assert.deepEqual(texts, [["Bluelost"], ["Player 1#EUW", "Ahri", "12", "13\u202f456", "0", "221", "3"], ["Redwon"], [`${LONG}#EUW`, "Zed", "12", "13\u202f456", "7", "221", "–"]]);
  assert.deepEqual(await tab.locator(".players thead th").allTextContents(), ["Player", "Played as", "assists", "gold earned", "kills", "minions killed", "deaths"]);
  await tab.getByRole("link", { name: "Tape", exact: true }).click();
  await tab.getByRole("heading", { name: "Streams" }).waitFor();
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

export async function matches_fit_narrow_screens_and_are_accessible({ browser }) {
  const { url, royale, long } = await imported();
  const pages = [["matches", "/matches", ".match-row"], ["match", `/matches/${royale}`, ".lane-mark"], ["match-players", `/matches/${long}`, ".players td"]];
  const phone = { viewport: { width: 360, height: 780 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
  for (const [name, path, ready] of pages) {
    for (const options of [phone, { viewport: { width: 740, height: 900 } }]) {
      const { width } = options.viewport;
      const tab = await page(browser, options);
      await tab.goto(url + path);
      await tab.locator(ready).first().waitFor();
      await tab.waitForTimeout(400);
      await tab.shot(`${width === 360 ? "phone" : "tablet"}-${name}`);
      const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
      assert(wide <= width, `${name} is ${wide} px wide on ${width}`);
      const inner = await tab.locator(".scroll-x").evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.getAttribute("aria-label")));
      if (width === 360) assert.deepEqual(inner, [], `${name}: a list scrolls sideways`);
      assert.deepEqual(tab.violations, [], name);
      await tab.done();
    }
    for (const [colorScheme, options] of [["dark", {}], ["light", {}], ["light", phone]]) {
      const tab = await page(browser, { ...options, colorScheme, bypassCSP: true });
      await tab.goto(url + path);
      await tab.locator(ready).first().waitFor();
      await tab.evaluate(axe);
      const { violations } = await tab.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      const serious = violations.filter((one) => ["serious", "critical"].includes(one.impact));
      assert.deepEqual(serious.map((one) => `${name} (${colorScheme}): ${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ""}`).join(" | ")}`), []);
      await tab.done();
    }
  }
}
