// The list of keyboard shortcuts, and the licences of the third-party code in the page.

import { useEffect, useRef } from "preact/hooks";

const KEYS: [string, string][] = [
  ["← →", "move the cursor (Shift: 10×)"],
  ["+ −", "zoom in, zoom out at the cursor"],
  [", .", "pan left, pan right when zoomed"],
  ["0", "reset zoom"],
  ["n b", "laps: next, previous corner"],
  ["v", "switch between laps by distance and tape over time"],
  ["d", "toggle dark and light theme"],
  ["?", "show this list"],
  ["Esc", "close"],
];

export function Help({ open, onOpen }: { open: boolean; onOpen: (open: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open && dialog.current?.open) dialog.current.close();
  }, [open]);
  const licences = (document.getElementById("licences") as HTMLTemplateElement | null)?.content.textContent ?? "";
  return (
    <dialog ref={dialog} class="help" aria-label="Keyboard shortcuts" onClose={() => onOpen(false)} onClick={(event) => event.target === dialog.current && onOpen(false)}>
      <h2>Keyboard shortcuts</h2>
      <dl>{KEYS.map(([key, text]) => <div key={key}><dt>{key.split(" ").map((one) => <kbd key={one}>{one}</kbd>)}</dt><dd>{text}</dd></div>)}</dl>
      <p class="soft">Drag across a plot to zoom in; double-click to reset. On a phone, tap a plot to place the cursor and use the buttons above the plots.</p>
      <details class="soft"><summary>Licences</summary><pre class="licences" tabIndex={0}>{licences}</pre></details>
      <button type="button" class="help-close" onClick={() => onOpen(false)}>Close</button>
    </dialog>
  );
}
