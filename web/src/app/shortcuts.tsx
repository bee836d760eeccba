// Keys: single letters, shown on "?". They are silent while something is typed.

import { useEffect, useRef } from "preact/hooks";
import { go } from "./router";
import { switchTheme } from "./theme";

export const PAGES = [
  { key: "l", path: "/", name: "Live" },
  { key: "s", path: "/sessions", name: "Sessions" },
  { key: "c", path: "/compare", name: "Compare" },
  { key: "p", path: "/progress", name: "Progress" },
  { key: "t", path: "/tapes", name: "Tapes" },
] as const;

const OTHERS: [string, string][] = [
  ["?", "this list"],
  ["d", "dark or light"],
  ["f", "full screen"],
  ["/", "search"],
  ["Enter", "open what is selected"],
  ["x", "Session: select the lap for comparing"],
  ["← →", "Compare: move the cursor; with Shift ten times as far"],
  ["+ −", "Compare: zoom in and out around the cursor"],
  ["0", "Compare: the whole lap"],
  ["n b", "Compare: next corner, corner before"],
  ["Space", "Tape: play, pause"],
  ["← →", "Tape: five seconds back, ahead; with Shift a minute"],
  ["+ − 0", "Tape: look closer, wider, at all of it"],
  ["Esc", "close, clear"],
];

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** Buttons and links have a meaning for Enter, lists that scroll have one for arrows. */
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
    <dialog ref={dialog} class="help" aria-label="Keys" onClose={() => onOpen(false)}
      onClick={(event) => event.target === dialog.current && onOpen(false)}>
      <h2>Keys</h2>
      <dl>
        {PAGES.map((page) => (
          <div key={page.key}><dt><kbd>{page.key}</kbd></dt><dd>{page.name}</dd></div>
        ))}
        {OTHERS.map(([key, text]) => (
          <div key={text}><dt>{key.split(" ").map((one) => <kbd key={one}>{one}</kbd>)}</dt><dd>{text}</dd></div>
        ))}
      </dl>
      <p class="soft">The API behind these pages: <a href="/openapi.json" target="_blank" rel="noopener">/openapi.json</a>. <a href="/licences.txt" target="_blank" rel="noopener">Licences</a>. For OBS: <a href="/overlay/delta">/overlay/delta</a>, <a href="/overlay/inputs">inputs</a>, <a href="/overlay/laps">laps</a>.</p>
      <form method="dialog"><button type="submit">Close</button></form>
    </dialog>
  );
}
