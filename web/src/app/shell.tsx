// The frame around every page: brand, navigation, connection state, toasts, keyboard shortcuts.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { feed } from "../live/feed";
import { useRoute } from "./router";
import { PAGES, Shortcuts } from "./shortcuts";
import { onTheme, switchTheme, theme } from "./theme";
import { Toasts } from "./toasts";

const ICONS: Record<string, string> = {
  "/": "M4 14a8 8 0 1 1 16 0M12 14l4-5M4 18h16",
  "/sessions": "M4 6h16M4 12h16M4 18h10",
  "/compare": "M3 17l5-8 4 5 4-9 5 8M3 21h18",
  "/progress": "M4 20V10M10 20V4M16 20v-8M21 20H3",
  "/matches": "M7 4h10v5a5 5 0 0 1-10 0zM7 6H3v1a4 4 0 0 0 4 4M17 6h4v1a4 4 0 0 1-4 4M12 14v4M8 20h8",
  "/tapes": "M7 9.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM17 9.5a3 3 0 1 0 0 6 3 3 0 0 0 0-6zM2 6h20v13H2zM7 15.5h10",
};

function NavIcon({ of }: { of: string }) {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <path d={ICONS[of]} fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}

export function Mark() {
  return (
    <svg viewBox="0 0 34 20" width="34" height="20" aria-hidden="true" class="mark">
      <circle cx="9" cy="9" r="5.5" /><circle cx="25" cy="9" r="5.5" /><path d="M3 17.5h28" />
    </svg>
  );
}

export function useConnection() {
  const [connection, setConnection] = useState(feed.connection);
  useEffect(() => feed.onConnection(setConnection), []);
  return connection;
}

/** Reports a lost connection after 400 ms, so that short interruptions do not flash a warning. */
function ConnectionNote() {
  const connection = useConnection();
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (connection !== "lost") {
      setLate(false);
      return undefined;
    }
    const timer = setTimeout(() => setLate(true), 400);
    return () => clearTimeout(timer);
  }, [connection]);
  if (connection === "lost" && late) {
    return <div class="lost-note" role="alert"><b>Connection lost.</b> Data may be out of date. Reconnecting…</div>;
  }
  return null;
}

function ThemeSwitch() {
  const [now, setNow] = useState(theme);
  useEffect(() => onTheme(() => setNow(theme())), []);
  const other = now === "dark" ? "light" : "dark";
  return (
    <button type="button" class="icon" title={`${other} theme (d)`} aria-label={`Switch to ${other} theme`} onClick={switchTheme}>
      <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
        <circle cx="12" cy="12" r="8" fill="none" stroke="currentColor" stroke-width="1.8" />
        <path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor" />
      </svg>
    </button>
  );
}

export function Shell({ children }: { children: ComponentChildren }) {
  const { path } = useRoute();
  const [help, setHelp] = useState(false);
  const connection = useConnection();
  const here = (page: string) => (page === "/" ? path === "/" : path === page || path.startsWith(`${page}/`));
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => { event.preventDefault(); document.getElementById("main")?.focus(); }}>Skip to content</a>
      <header class="top">
        <a href="/" class="brand" aria-label="gametape, live view"><Mark /><span>gametape</span></a>
        <nav aria-label="Pages">
          {PAGES.map((page) => (
            <a key={page.path} href={page.path} aria-current={here(page.path) ? "page" : undefined}>
              <NavIcon of={page.path} /><span>{page.name}</span>
            </a>
          ))}
        </nav>
        <span class={`line ${connection}`} title={connection === "open" ? "Connected to the server" : "No connection"}>
          <i aria-hidden="true" /><span class="hidden">{connection === "open" ? "connected" : connection === "lost" ? "not connected" : "connecting"}</span>
        </span>
        <ThemeSwitch />
        <button type="button" class="icon help-button" title="Keyboard shortcuts (?)" aria-label="Keyboard shortcuts" onClick={() => setHelp(true)}>?</button>
      </header>
      <ConnectionNote />
      <main id="main" tabIndex={-1}>{children}</main>
      <Toasts />
      <Shortcuts open={help} onOpen={setHelp} />
    </>
  );
}
