// A server with public data that requires a token for the rest.

import assert from "node:assert/strict";
import { page } from "../browser.mjs";
import { freePort, start, until } from "../programs.mjs";

export async function a_token_is_requested_and_grants_access({ browser, home }) {
  const adding = start(home, ["token", "add", "browser", "--scope", "write", "--store", home.demoStore]);
  await adding.ended;
  const secret = adding.said().match(/gametape_\w+/)?.[0];
  assert(secret, adding.said());
  const port = await freePort();
  const server = start(home, ["serve", "--bind", `127.0.0.1:${port}`, "--public", "--store", home.demoStore]);
  const url = await server.url();
  const tab = await page(browser);
  // The browser logs the expected 401 response.
  tab.watch.quiet = true;
  await tab.goto(`${url}/tapes`);
  await tab.getByLabel("Token").fill(secret);
  await tab.shot("token");
  await tab.getByRole("button", { name: "Continue" }).click();
  await tab.locator(".tapes tbody tr").first().waitFor();
  tab.watch.quiet = false;
  // With a token, events arrive over Server-Sent Events: an edit made elsewhere shows as well.
  await tab.getByRole("link", { name: "Sessions" }).first().click();
  await tab.locator(".sessions .row").first().waitFor();
  await tab.locator(".line.open").waitFor();
  const bearer = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const { sessions } = await (await fetch(`${url}/api/v1/sessions?limit=1`, { headers: bearer })).json();
  await fetch(`${url}/api/v1/sessions/${sessions[0].id}`, { method: "PATCH", headers: bearer, body: JSON.stringify({ name: "Edited with a token" }) });
  await until("the new name", async () => (await tab.getByText("Edited with a token").count()) > 0);
  assert.deepEqual(tab.violations, []);
  await tab.done();
  await server.kill();
}
