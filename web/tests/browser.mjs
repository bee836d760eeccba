// A headless Chromium that records violations: console errors and warnings, uncaught exceptions, and requests to other machines.

import { existsSync, mkdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const CANDIDATES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
export const executable = process.env.GAMETAPE_CHROMIUM ?? CANDIDATES.find((path) => existsSync(path));
export const shots = resolve(process.env.GAMETAPE_SHOTS ?? "../target/web-shots");

// Chromium treats pages from `route.fulfill` as non-local and would block their connections to this machine.
const OWN_PAGES = process.env.GAMETAPE_PAGES ? ["--disable-features=LocalNetworkAccessChecks"] : [];

export async function open() {
  mkdirSync(shots, { recursive: true });
  // Chromium refuses to run as root with its sandbox. Only our own pages are opened.
  const browser = await chromium.launch({ executablePath: executable, args: ["--no-sandbox", "--disable-dev-shm-usage", "--font-render-hinting=none", ...OWN_PAGES] });
  return browser;
}

/** Serve freshly built pages instead of those embedded in the program: GAMETAPE_PAGES=dist. */
const folder = process.env.GAMETAPE_PAGES && resolve(process.env.GAMETAPE_PAGES);
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'";

function ownPage(path) {
  if (!folder || /^\/(api\/|openapi\.json|healthz|readyz|metrics)/.test(path)) return null;
  const file = join(folder, path);
  return existsSync(file) && statSync(file).isFile() ? file : join(folder, "index.html");
}

/** Opens a page that collects its violations in `violations`. Set `watch.quiet` while console errors are expected. */
export async function page(browser, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1366, height: 800 }, colorScheme: "dark", acceptDownloads: true, ...options });
  const made = await context.newPage();
  const violations = [];
  // Failed requests are expected while a test has stopped the server.
  const watch = { quiet: false };
  made.on("console", (message) => { if (["error", "warning"].includes(message.type()) && !watch.quiet) violations.push(`console: ${message.text()}`); });
  made.on("pageerror", (error) => violations.push(`error: ${error.message}`));
  // WebSockets bypass the route below.
  made.on("websocket", (socket) => { if (new URL(socket.url()).hostname !== "127.0.0.1") violations.push(`left this machine: ${socket.url()}`); });
  await context.route("**/*", (route) => {
    const { hostname, pathname, protocol } = new URL(route.request().url());
    const own = hostname === "127.0.0.1" && ownPage(pathname);
    if (own) return route.fulfill({ path: own, headers: { "content-security-policy": POLICY } });
    if (hostname === "127.0.0.1" || protocol === "data:" || protocol === "blob:") return route.continue();
    violations.push(`left this machine: ${route.request().url()}`);
    return route.abort();
  });
  return Object.assign(made, { violations, watch, shot: (name) => made.screenshot({ path: join(shots, `${name}.png`) }), done: () => context.close() });
}
