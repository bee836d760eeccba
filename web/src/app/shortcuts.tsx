// Keyboard shortcuts: single keys, listed by "?". Disabled while a form field has the focus or a dialog is open.

import { useEffect, useRef } from "preact/hooks";
import { go } from "./router";
import { switchTheme } from "./theme";

export const PAGES = [
  { key: "l", path: "/", name: "Live" },
  { key: "s", path: "/sessions", name: "Sessions" },
  { key: "c", path: "/compare", name: "Compare" },
  { key: "p", path: "/progress", name: "Progress" },
  { key: "m", path: "/matches", name: "Matches" },
  { key: "t", path: "/tapes", name: "Tapes" },
] as const;

const OTHERS: [string, string][] = [
  ["?", "show this list"],
  ["d", "toggle dark and light theme"],
  ["f", "toggle full screen"],
  ["/", "search"],
  ["Enter", "Session: compare the selected laps; Tape: play from the cursor"],
  ["x", "Session: select the focused lap"],
  ["← →", "Compare: move the cursor (Shift: 10×)"],
  ["+ −", "Compare: zoom in, zoom out at the cursor"],
  ["0", "Compare: show the whole lap"],
  ["n b", "Compare: next, previous corner"],
  ["← →", "Match: previous, next event of the focused time line"],
  ["Space", "Tape: play, pause"],
  ["← →", "Tape: skip 5 s back, ahead (Shift: 1 min)"],
  ["+ − 0", "Tape: zoom in, zoom out, show all"],
  ["Esc", "close, clear selection, reset zoom"],
];

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Returns whether the focused element handles the key itself: buttons and links handle Enter and Space, scrollable regions the arrow keys. */
function isForTarget(event: KeyboardEvent): boolean {
  const target = event.target instanceof Element ? event.target : null;
  if (event.key === "Enter" || event.key === " ") return !!target?.closest("a, button, summary, input");
  return event.key.startsWith("Arrow") && !!target?.closest("[role=region]");
}

export function useKeys(keys: Record<string, (event: KeyboardEvent) => void>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const down = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      if (document.querySelector("dialog[open]")) return;
      const act = latest.current[event.key];
      if (!act || isForTarget(event)) return;
      event.preventDefault();
      act(event);
    };
    addEventListener("keydown", down);
    return () => removeEventListener("keydown", down);
  }, []);
}

export function fullScreen(): void {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.documentElement.requestFullscreen?.();
}

export function Shortcuts({ open, onOpen }: { open: boolean; onOpen: (open: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useKeys({
    "?": () => onOpen(true),
    d: switchTheme,
    f: fullScreen,
    "/": () => document.querySelector<HTMLInputElement>("input[type=search]")?.focus(),
    ...Object.fromEntries(PAGES.map((page) => [page.key, () => go(page.path)])),
  });
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open && dialog.current?.open) dialog.current.close();
  }, [open]);
  return (
    <dialog ref={dialog} class="help" aria-label="Keyboard shortcuts" onClose={() => onOpen(false)}
      onClick={(event) => event.target === dialog.current && onOpen(false)}>
      <h2>Keyboard shortcuts</h2>
      <dl>
        {PAGES.map((page) => (
          <div key={page.key}><dt><kbd>{page.key}</kbd></dt><dd>{page.name}</dd></div>
        ))}
        {OTHERS.map(([key, text]) => (
          <div key={text}><dt>{key.split(" ").map((one) => <kbd key={one}>{one}</kbd>)}</dt><dd>{text}</dd></div>
        ))}
      </dl>
      <p class="soft">API: <a href="/openapi.json" target="_blank" rel="noopener">/openapi.json</a>. <a href="/licences.txt" target="_blank" rel="noopener">Licences</a>. OBS overlays: <a href="/overlay/delta">/overlay/delta</a>, <a href="/overlay/inputs">inputs</a>, <a href="/overlay/laps">laps</a>.</p>
      <form method="dialog"><button type="submit">Close</button></form>
    </dialog>
  );
}
