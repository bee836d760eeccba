// Requirements for all pages: phones, accessibility, size of the first load, overlays, reconnecting to a restarted server.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { page } from "../browser.mjs";
import { freePort, start, until } from "../programs.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Returns name, path and a selector to wait for, for each page. */
async function everyPage(api) {
  const { sessions } = await api("/api/v1/sessions?laps=true");
  const session = sessions.find((one) => one.end_reason && one.best_lap);
  const { laps } = await api("/api/v1/laps?sort=fastest&valid=true&limit=9");
  return [
    ["live", "/", '[data-state="driving"]'],
    ["sessions", "/sessions", ".sessions .row"],
    ["session", `/sessions/${session.id}`, ".laps tbody tr"],
    ["compare", `/compare?laps=${laps[0].id},${laps[laps.length - 1].id}`, '[data-channel="Speed"] canvas'],
    ["progress", "/progress", ".summary"],
    ["tapes", "/tapes", ".tapes tbody tr"],
    ["tape", `/tapes/${session.tape_id}`, '[data-channel="physics/speedKmh"] canvas'],
  ];
}

export async function a_phone_needs_no_sideways_scrolling({ browser, url, api }) {
  for (const [name, path, ready] of await everyPage(api)) {
    const tab = await page(browser, { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true });
    await tab.goto(url + path);
    await tab.locator(ready).first().waitFor();
    await tab.waitForTimeout(400);
    const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
    await tab.shot(`phone-${name}`);
    assert(wide <= 390, `${name} is ${wide} px wide`);
    if (name === "tapes") {
      const [inside, outside] = await tab.locator('[aria-label="Tapes"]').evaluate((panel) => [panel.scrollWidth, panel.clientWidth]);
      assert(inside <= outside, `the list of tapes is ${inside} px wide in ${outside}`);
      assert.equal(await tab.getByRole("row").count(), await tab.locator("[data-tape]").count(), "screen readers get table rows");
    }
    if (name === "compare") {
      const [time, away] = [await tab.locator(".chosen-time").first().boundingBox(), await tab.getByRole("button", { name: "Remove lap 1" }).boundingBox()];
      assert(away.y < time.y + time.height && away.y + away.height > time.y && away.x > time.x + time.width, "the remove button is next to the lap time");
    }
    await tab.emulateMedia({ colorScheme: "light" });
    await tab.waitForTimeout(300);
    await tab.shot(`phone-light-${name}`);
    assert.deepEqual(tab.violations, [], name);
    await tab.done();
  }
}

export async function empty_pages_tell_a_new_user_what_to_do({ browser, home }) {
  const server = start(home, ["serve", "--bind", `127.0.0.1:${await freePort()}`, "--store", join(home.folder, "empty.sqlite")]);
  const url = await server.url();
  for (const [name, path, words] of [
    ["live", "/", "gametape demo"], ["sessions", "/sessions", "No sessions yet"], ["compare", "/compare", "Nothing to compare yet"], ["progress", "/progress", "No valid laps yet"], ["matches", "/matches", "No matches yet"], ["tapes", "/tapes", "No tapes yet"],
  ]) {
    for (const [size, viewport, colorScheme] of [["wide", { width: 1366, height: 800 }, "dark"], ["phone", { width: 390, height: 844 }, "light"]]) {
      const tab = await page(browser, { viewport, colorScheme });
      await tab.goto(url + path);
      await tab.getByText(words).first().waitFor();
      await tab.shot(`empty-${name}-${size}`);
      assert((await tab.evaluate(() => document.documentElement.scrollWidth)) <= viewport.width, name);
      assert.deepEqual(tab.violations, [], name);
      await tab.done();
    }
  }
  await server.kill();
}

export async function long_names_do_not_break_the_layout({ browser, url, api }) {
  const long = "Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichenverleihung of the endurance team that has no short name";
  const [, ...rest] = (await api("/api/v1/sessions?laps=true")).sessions.filter((one) => one.end_reason && one.best_lap);
  const session = rest[0];
  const patch = (path, body) => fetch(`${url}/api/v1/${path}`, { method: "PATCH", headers: { origin: url, "content-type": "application/json" }, body: JSON.stringify(body) });
  const edits = [`sessions/${session.id}`, `laps/${session.best_lap}`];
  for (const path of edits) assert.equal((await patch(path, { name: long, note: `${long}. ${long}.`, tags: [long.slice(0, 30), "wet"] })).status, 200);
  for (const [size, viewport] of [["wide", { width: 1366, height: 800 }], ["phone", { width: 390, height: 844 }]]) {
    for (const [name, path, ready] of [
      ["sessions", "/sessions", ".sessions .row"], ["session", `/sessions/${session.id}`, ".laps tbody tr"], ["compare", `/compare?laps=${session.best_lap}`, ".picker li button"],
      ["tape", `/tapes/${session.tape_id}`, ".strip-lap"],
    ]) {
      const tab = await page(browser, { viewport });
      await tab.goto(url + path);
      await tab.locator(ready).first().waitFor();
      await tab.shot(`long-${name}-${size}`);
      const wide = await tab.evaluate(() => document.documentElement.scrollWidth);
      assert(wide <= viewport.width, `${name} is ${wide} px wide`);
      assert.deepEqual(tab.violations, [], name);
      await tab.done();
    }
  }
  for (const path of edits) assert.equal((await patch(path, { name: null, note: null, tags: [] })).status, 200);
}

export async function a_low_screen_shows_everything_needed_while_driving({ browser, url }) {
  for (const [width, height] of [[1366, 640], [1280, 600]]) {
    const tab = await page(browser, { viewport: { width, height } });
    await tab.goto(url);
    await tab.locator('[data-state="driving"]').first().waitFor();
    await tab.waitForTimeout(2500);
    await tab.shot(`live-low-${height}`);
    for (const part of [".gear", ".speed", ".clock-time", ".delta-figure", ".pedals", ".fuel", ".tyres", ".live-laps"]) {
      const box = await tab.locator(part).last().boundingBox();
      assert(box.y + box.height <= height + 1, `${part} ends at ${box.y + box.height} of ${height}`);
    }
    await tab.done();
  }
}

export async function a_connecting_page_shows_no_dashes({ browser, url }) {
  const tab = await page(browser);
  // Delay the first message from the server.
  await tab.addInitScript(() => {
    const Real = window.WebSocket;
    window.WebSocket = class extends Real {
      set onmessage(handler) { super.onmessage = (event) => setTimeout(() => handler(event), 4000); }
    };
  });
  await tab.goto(url);
  const shown = () => tab.evaluate(() => ({ connects: !!document.querySelector(".connecting"), dashes: document.querySelectorAll(".gear").length }));
  const early = await until("the connecting state", async () => { const now = await shown(); return now.connects && now; });
  assert.equal(early.dashes, 0);
  await tab.locator('[data-state="driving"]').first().waitFor();
  assert.deepEqual(tab.violations, []);
  await tab.done();
}

/** All pages, plus dialogs and pages that are not in the navigation. */
async function moreToCheck(api) {
  const pages = await everyPage(api);
  const path = (name) => pages.find(([one]) => one === name)[1];
  const dialog = (name, press) => [`${name} open`, path(name), ".page", async (tab) => { await press(tab); await tab.locator("dialog[open]").waitFor(); }];
  return [
    ...pages,
    ["nothing", "/no-such-page", ".empty"],
    ["picker", "/compare", ".picker li button"],
    ...["delta", "inputs", "laps"].map((kind) => [`overlay ${kind}`, `/overlay/${kind}`, ".overlay"]),
    dialog("tape", (tab) => tab.getByRole("button", { name: "Export" }).click()),
    dialog("session", (tab) => tab.getByRole("button", { name: /^Edit lap/ }).first().click()),
    ["keys", "/sessions", ".sessions .row", async (tab) => { await tab.keyboard.press("?"); await tab.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor(); }],
  ];
}

export async function axe_finds_nothing_serious({ browser, url, api }) {
  const found = [];
  for (const colorScheme of ["dark", "light"]) {
    for (const [name, path, ready, act] of await moreToCheck(api)) {
      // The content security policy would block the injected axe script.
      const tab = await page(browser, { colorScheme, bypassCSP: true });
      await tab.goto(url + path);
      await tab.locator(ready).first().waitFor();
      await act?.(tab);
      await tab.evaluate(axe);
      const { violations } = await tab.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      for (const one of violations) {
        if (["serious", "critical"].includes(one.impact)) found.push(`${name} (${colorScheme}): ${one.id}: ${one.nodes.slice(0, 3).map((node) => `${node.html.slice(0, 120)} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
      }
      await tab.done();
    }
  }
  assert.deepEqual(found, []);
}

export async function the_first_load_is_below_300_kb({ browser, url }) {
  for (const path of ["/", "/compare"]) {
    const tab = await page(browser);
    const bytes = [];
    tab.on("response", async (response) => {
      if (response.url().includes("/api/")) return;
      bytes.push(response.request().sizes().then((sizes) => sizes.responseBodySize + sizes.responseHeadersSize));
    });
    await tab.goto(url + path, { waitUntil: "networkidle" }).catch(() => {});
    await tab.waitForTimeout(500);
    const total = (await Promise.all(bytes)).reduce((sum, one) => sum + one, 0);
    console.log(`   first load of ${path}: ${(total / 1000).toFixed(0)} kB in ${bytes.length} responses`);
    assert(total > 5_000 && total < 300_000, `${path}: ${total} bytes`);
    await tab.done();
  }
}

export async function overlays_are_transparent_and_have_the_requested_size({ browser, url }) {
  for (const [kind, query, width, height] of [["delta", "w=600&h=80", 600, 80], ["inputs", "w=500&h=120", 500, 120], ["laps", "w=300&h=260&n=5", 300, 260]]) {
    const tab = await page(browser, { viewport: { width: 700, height: 320 } });
    await tab.goto(`${url}/overlay/${kind}?${query}`);
    const overlay = tab.locator(".overlay");
    await overlay.waitFor();
    await tab.waitForTimeout(1500);
    const box = await overlay.boundingBox();
    assert.deepEqual([box.width, box.height], [width, height], kind);
    const picture = (await tab.screenshot({ omitBackground: true })).toString("base64");
    const outside = await tab.evaluate(async (base64) => {
      const image = new Image();
      image.src = `data:image/png;base64,${base64}`;
      await image.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
      const pen = canvas.getContext("2d");
      pen.drawImage(image, 0, 0);
      return [...pen.getImageData(image.width - 5, image.height - 5, 1, 1).data];
    }, picture);
    assert.equal(outside[3], 0, `${kind}: the background is ${outside}`);
    await tab.shot(`overlay-${kind}`);
    assert.deepEqual(tab.violations, [], kind);
    await tab.done();
  }
}

export async function a_restarted_server_is_reconnected({ browser, home }) {
  const port = await freePort();
  const serve = ["serve", "--bind", `127.0.0.1:${port}`, "--store", home.demoStore];
  let server = start(home, serve);
  const url = await server.url();
  const tab = await page(browser);
  await tab.goto(url);
  await tab.getByText("Waiting for a game").waitFor();
  await tab.shot("live-waiting");
  tab.watch.quiet = true;
  await server.kill();
  await tab.getByText("Connection lost").first().waitFor();
  await tab.shot("live-lost");
  server = start(home, serve);
  await server.url();
  await tab.locator(".line.open").waitFor({ timeout: 15_000 });
  tab.watch.quiet = false;
  await until("the note is gone", async () => (await tab.getByText("Connection lost").count()) === 0);
  // Events arrive again: an edit made elsewhere shows on this page.
  await tab.goto(`${url}/sessions`);
  await tab.locator(".sessions .row").first().waitFor();
  const { sessions } = await (await fetch(`${url}/api/v1/sessions?limit=1`)).json();
  const edit = await fetch(`${url}/api/v1/sessions/${sessions[0].id}`, { method: "PATCH", headers: { origin: url, "content-type": "application/json" }, body: JSON.stringify({ name: "Named elsewhere" }) });
  assert.equal(edit.status, 200);
  await tab.getByText("Named elsewhere").waitFor({ timeout: 5000 });
  assert.deepEqual(tab.violations, []);
  await tab.done();
  await server.kill();
}
