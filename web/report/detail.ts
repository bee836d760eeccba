// Full detail on zoom: when the stored values are coarser than the screen, asks for the visible part of the tape, a little more on each side, so
// that panning stays fine. Until the answer arrives, and if there is none, the stored values are shown.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Range } from "../src/plots/trace";
import type { Detail, TimeChannel, TimeLines } from "./data";
import { MOST_PIECES, type Span, windowOf } from "./window";

/** Pause after the last movement of a range before it is asked for. */
const QUIET_MS = 120;

interface Fetched { of: Detail; names: readonly string[]; range: Range; lines: TimeLines }

/** Returns whether stored values are coarser than the plots of this range. */
export function isCoarse(channels: readonly Pick<TimeChannel, "shift">[], span: Span, range: Range): boolean {
  const { size } = windowOf(span, range.from, range.to);
  return channels.some(({ shift }) => size < 2 ** shift) || (range.to - range.from) / span.stretch < MOST_PIECES / 2;
}

/** Returns the part of the tape to ask for: the range with half of its width on each side. */
export function wider(range: Range, span: Span): Range {
  const more = (range.to - range.from) / 2;
  return { from: Math.max(span.from, range.from - more), to: Math.min(span.from + span.stretch * span.stretches, range.to + more) };
}

/** Whether what was fetched serves for this range: it covers it, and is not so wide that it is coarse itself. */
export function serves(have: { names: readonly string[]; range: Range }, names: readonly string[], range: Range): boolean {
  return have.range.from <= range.from && have.range.to >= range.to && names.every((name) => have.names.includes(name)) &&
    have.range.to - have.range.from <= 4 * (range.to - range.from);
}

export function useDetail(detail: Detail | undefined, channels: readonly TimeChannel[], span: Span, range: Range): TimeLines | null {
  const [fetched, setFetched] = useState<Fetched | null>(null);
  const names = channels.map(({ name }) => name);
  const wanted = !!detail && names.length > 0 && isCoarse(channels, span, range);
  const good = wanted && fetched?.of === detail && serves(fetched, names, { from: Math.max(span.from, range.from), to: range.to });
  const latest = useRef(0);
  useEffect(() => {
    latest.current += 1;
    const turn = latest.current;
    if (!detail || !wanted || good) return undefined;
    const part = wider(range, span);
    const own = channels.filter(({ weight }) => weight === "other").map(({ name }) => name);
    const timer = setTimeout(() => {
      detail(own, Math.floor(part.from * 1e9), Math.ceil(part.to * 1e9)).then(
        (lines) => { if (turn === latest.current) setFetched({ of: detail, names, range: part, lines }); },
        // The stored values stay; the tape's own problems are reported by the page.
        () => undefined,
      );
    }, QUIET_MS);
    return () => clearTimeout(timer);
  }, [detail, wanted, good, names.join("\n"), range.from, range.to]);
  return good ? (fetched?.lines ?? null) : null;
}
