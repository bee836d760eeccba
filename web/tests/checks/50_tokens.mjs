// A server that lets everyone see what is public and asks for a token for the rest.

import assert from "node:assert/strict";
import { page } from "../browser.mjs";
import { freePort, start, until } from "../programs.mjs";

export async function a_token_is_asked_for_and_opens_what_was_closed({ browser, place }) {
  const adding = start(place, ["token", "add", "browser", "--scope", "write", "--store", place.demoStore]);
  await adding.ended;
  const secret = adding.said().match(/gametape_\w+/)?.[0];
  assert(secret, adding.said());
  const port = await freePort();
  const server = start(place, ["serve", "--bind", `127.0.0.1:${port}`, "--public", "--store", place.demoStore]);
  const url = await server.url();
  const tab = await page(browser);
  // An answer of 401 is what the browser complains of here.
  tab.told.quiet = true;
  await tab.goto(`${url}/tapes`);
  await tab.getByLabel("Token").fill(secret);
  await tab.shot("token");
  await tab.getByRole("button", { name: "Go on" }).click();
  await tab.locator(".tapes tbody tr").first().waitFor();
  tab.told.quiet = false;
  // With a token the stream comes another way; an edit from elsewhere must show all the same.
  await tab.getByRole("link", { name: "Sessions" }).first().click();
  await tab.locator(".sessions .row").first().waitFor();
  await tab.locator(".line.open").waitFor();
  const bearer = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const { sessions } = await (await fetch(`${url}/api/v1/sessions?limit=1`, { headers: bearer })).json();
  await fetch(`${url}/api/v1/sessions/${sessions[0].id}`, { method: "PATCH", headers: bearer, body: JSON.stringify({ name: "Seen with a token" }) });
  await until("the new name", async () => (await tab.getByText("Seen with a token").count()) > 0);
  assert.deepEqual(tab.sins, []);
  await tab.done();
  await server.kill();
}
