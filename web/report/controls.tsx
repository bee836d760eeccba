// Controls above the traces: zoom buttons for touch screens, and a list of channels to add.

import { useKeys } from "../src/app/shortcuts";
import type { Range } from "../src/plots/trace";
import { channelName } from "../src/pages/compare/comparison";

export interface Zoom {
  range: Range;
  whole: Range;
  /** The position of the cursor, around which to zoom. If null, the middle of the range. */
  at: () => number | null;
  /** The narrowest range. */
  least: number;
  onRange: (range: Range | null) => void;
}

/** Buttons and keys that zoom and pan a range of distance or time. */
export function ZoomButtons({ range, whole, at, least, onRange }: Zoom) {
  const width = range.to - range.from;
  const zoom = (factor: number) => {
    const next = Math.max(least, width * factor);
    if (next >= whole.to - whole.from) return onRange(null);
    const position = at();
    const middle = position !== null && position >= range.from && position <= range.to ? position : (range.from + range.to) / 2;
    // Keep the point under the cursor in place.
    const from = middle - ((middle - range.from) / width) * next;
    return move(from, next);
  };
  const move = (from: number, size: number) => {
    const start = Math.min(Math.max(from, whole.from), whole.to - size);
    onRange({ from: start, to: start + size });
  };
  const zoomed = width < whole.to - whole.from;
  const pan = (part: number) => zoomed && move(range.from + part * width, width);
  useKeys({ "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), "0": () => onRange(null), ",": () => pan(-0.5), ".": () => pan(0.5) });
  return (
    <span class="zoom" role="group" aria-label="Zoom">
      <button type="button" title="Pan left (,)" aria-label="Pan left" disabled={!zoomed} onClick={() => pan(-0.5)}>◀</button>
      <button type="button" title="Zoom out (−)" aria-label="Zoom out" disabled={!zoomed} onClick={() => zoom(2)}>−</button>
      <button type="button" title="Zoom in (+)" aria-label="Zoom in" onClick={() => zoom(0.5)}>+</button>
      <button type="button" title="Pan right (.)" aria-label="Pan right" disabled={!zoomed} onClick={() => pan(0.5)}>▶</button>
      <button type="button" title="Reset zoom (0)" disabled={!zoomed} onClick={() => onRange(null)}>Reset</button>
    </span>
  );
}

/** A list of the channels in the report that are not shown. */
export function AddChannel({ names, shown, onAdd }: { names: readonly string[]; shown: readonly string[]; onAdd: (name: string) => void }) {
  const free = names.filter((name) => !shown.includes(name));
  if (free.length === 0) return null;
  return (
    <label class="add-channel"><span class="hidden">Add a channel</span>
      <select value="" onChange={(event) => { if (event.currentTarget.value) onAdd(event.currentTarget.value); event.currentTarget.value = ""; }}>
        <option value="">Add a channel ({free.length})</option>
        {free.map((name) => <option key={name} value={name}>{channelName(name)}</option>)}
      </select>
    </label>
  );
}
