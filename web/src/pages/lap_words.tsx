// Labels of a lap in a table: its phase, its state and why it does not count. Never by colour alone.

import type { Lap } from "../api/client";
import { phase, word } from "../words/names";

export function Badges({ lap, short = false }: { lap: Lap; short?: boolean }) {
  return (
    <span class="badges">
      {lap.phase !== "flying" && <span class="chip">{phase(lap.phase)}</span>}
      {lap.state === "running" && <span class="chip">running</span>}
      {lap.state === "aborted" && <span class="chip">aborted</span>}
      {lap.state === "provisional" && <span class="chip">provisional</span>}
      {lap.valid === false && <span class="chip invalid" title={lap.reasons.map(word).join(", ")}>✕ invalid</span>}
      {lap.foreign && <span class="chip" title="from a lap file: never a personal best">someone else's</span>}
      {lap.excluded && <span class="chip">⊘ excluded</span>}
      {!short && !lap.complete && lap.state !== "running" && lap.state !== "aborted" && <span class="chip">partial</span>}
    </span>
  );
}

/** Marks a best time: a star in addition to the colour, and a word for screen readers. */
export function Star() {
  return <span class="star"><span aria-hidden="true">★</span><span class="hidden">best </span></span>;
}

/** Returns the CSS class of a lap time: purple for the best, muted for laps that do not count. */
export const timeTone = (lap: Lap, best: boolean): string => (best ? "purple" : lap.eligible && !lap.excluded ? "" : "soft");
