// A headless Chromium that notes what must not happen: errors on the console, and requests that leave this machine.

import { existsSync, mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
export const executable = process.env.GAMETAPE_CHROMIUM ?? PLACES.find((path) => existsSync(path));
export const shots = resolve(process.env.GAMETAPE_SHOTS ?? "../target/web-shots");

// Pages that are handed in count as foreign to this machine, and could not open sockets to it.
const OWN_PAGES = process.env.GAMETAPE_PAGES ? ["--disable-features=LocalNetworkAccessChecks"] : [];

export async function open() {
  mkdirSync(shots, { recursive: true });
  // Programs of root need no sandbox of their own; nothing foreign is opened.
  const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none", ...OWN_PAGES] });
  return browser;
}

/** Pages that were built a moment ago, instead of those in the program: GAMETAPE_PAGES=dist. */
const folder = process.env.GAMETAPE_PAGES && resolve(process.env.GAMETAPE_PAGES);
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'";

function ownPage(path) {
  if (!folder || /^\/(api\/|openapi\.json|healthz|readyz|metrics)/.test(path)) return null;
  const file = join(folder, path);
  return existsSync(file) && statSync(file).isFile() ? file : join(folder, "index.html");
}

/** A page with its list of sins. */
export async function page(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1366, height: 800 }, colorScheme: "dark", acceptDownloads: true, ...options });
  const made = await context.newPage();
  const sins = [];
  // While a server is away on purpose, failed requests are what must happen.
  const told = { quiet: false };
  made.on("console", (message) => { if (["error", "warning"].includes(message.type()) && !told.quiet) sins.push(`console: ${message.text()}`); });
  made.on("pageerror", (error) => sins.push(`error: ${error.message}`));
  // Sockets do not come past the route below.
  made.on("websocket", (socket) => { if (new URL(socket.url()).hostname !== "127.0.0.1") sins.push(`left this machine: ${socket.url()}`); });
  await context.route("**/*", (route) => {
    const { hostname, pathname, protocol } = new URL(route.request().url());
    const own = hostname === "127.0.0.1" && ownPage(pathname);
    if (own) return route.fulfill({ path: own, headers: { "content-security-policy": POLICY } });
    if (hostname === "127.0.0.1" || protocol === "data:" || protocol === "blob:") return route.continue();
    sins.push(`left this machine: ${route.request().url()}`);
    return route.abort();
  });
  return Object.assign(made, { sins, told, shot: (name) => made.screenshot({ path: join(shots, `${name}.png`) }), done: () => context.close() });
}
