// Keys, and whose work is in the page.

import { useEffect, useRef } from "preact/hooks";

const KEYS: [string, string][] = [
  ["← →", "move the cursor; with Shift ten times as far"],
  ["+ −", "zoom in and out around the cursor"],
  [", .", "back and on, when zoomed"],
  ["0", "all of it"],
  ["n b", "laps: next corner, corner before"],
  ["v", "laps by distance, or the whole tape over time"],
  ["d", "dark or light"],
  ["?", "this list"],
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
    <dialog ref={dialog} class="help" aria-label="Keys" onClose={() => onOpen(false)} onClick={(event) => event.target === dialog.current && onOpen(false)}>
      <h2>Keys</h2>
      <dl>{KEYS.map(([key, text]) => <div key={key}><dt>{key.split(" ").map((one) => <kbd key={one}>{one}</kbd>)}</dt><dd>{text}</dd></div>)}</dl>
      <p class="soft">Drag over a plot to zoom, double-click for all of it; on a phone tap a plot to place the cursor, and use the buttons above the plots.</p>
      <details class="soft"><summary>Licences</summary><pre class="licences" tabIndex={0}>{licences}</pre></details>
      <button type="button" class="help-close" onClick={() => onOpen(false)}>Close</button>
    </dialog>
  );
}
