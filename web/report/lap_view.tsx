// The selected laps by distance: plots, track map, corners. The first lap is the reference.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKeys } from "../src/app/shortcuts";
import { type Comparison, type Corner, STANDARD, hasPositions, indexAt } from "../src/pages/compare/comparison";
import type { Point } from "../src/map/outline";
import { Corners, Verdict } from "../src/pages/compare/corners";
import { CompareMap } from "../src/pages/compare/map";
import { Plots } from "../src/pages/compare/plots";
import { lapColour, lapDash } from "../src/plots/colours";
import { CursorLine, type Range } from "../src/plots/trace";
import { delta, deltaClass, fixed, lapTime } from "../src/words/format";
import { AddChannel, ZoomButtons } from "./controls";
import { type Report, outlineOf } from "./data";
import { type Kept, compared } from "./laps";

const FIRST = [...STANDARD, "rpm"];

/** `tapes`: the reports that laps can be from. With more than one, each lap is shown with the name of its tape. */
export function LapView({ tapes, kept, onRemove }: { tapes: readonly Report[]; kept: Kept[]; onRemove: (id: string) => void }) {
  const [channels, setChannels] = useState<string[]>(FIRST);
  const [of, setOf] = useState<Comparison | null>(null);
  const units = useMemo(() => new Map([...tapes].reverse().flatMap((one) => one.lines.channels.map((channel) => [channel.name, channel.unit]))), [tapes]);
  const key = kept.map((one) => one.lap.id).join(",");
  useEffect(() => {
    let wanted = true;
    void compared(kept, channels, units).then((found) => { if (wanted) setOf(found); });
    return () => { wanted = false; };
  }, [key, channels.join(","), units]);
  if (kept.length === 0) return <p class="soft none panel">Tick laps in the table to compare them here.</p>;
  // A comparison of a different number of laps is stale: its replacement is being computed.
  const ready = of && of.laps.length === kept.length ? of : null;
  const report = kept[0]?.report;
  const names = Object.keys(kept[0]?.lines.channels ?? {}).filter((name) => name !== "x_m" && name !== "z_m");
  return (
    <>
      <Chosen kept={kept} several={tapes.length > 1} onRemove={onRemove} />
      {ready && report ? <Side key={kept[0]?.lines.length_m} of={ready} outline={outlineOf(report, kept[0]?.lap)} channels={channels} names={names} onChannels={setChannels} /> : <p class="loading" role="status">Loading…</p>}
    </>
  );
}

function Chosen({ kept, several, onRemove }: { kept: readonly Kept[]; several: boolean; onRemove: (id: string) => void }) {
  const first = kept[0]?.lap.time_ms ?? null;
  return (
    <ol class="chosen">
      {kept.map(({ lap, report }, n) => {
        const off = lap.time_ms != null && first !== null ? lap.time_ms - first : null;
        return (
          <li key={lap.id} class="panel">
            <svg width="34" height="6" aria-hidden="true"><path d="M1 3h32" stroke={lapColour(n)} stroke-width="3" stroke-dasharray={lapDash(n).join(" ")} /></svg>
            <span class="soft">lap {lap.number ?? lap.tape_lap}</span>
            {several && <span class="soft chosen-tape" title={report.file}>{report.file}</span>}
            <span class="chosen-time num">{lapTime(lap.time_ms)}</span>
            <span class={`num ${n === 0 ? "soft" : deltaClass(off)}`}>{n === 0 ? "reference" : delta(off)}</span>
            {lap.valid === false && <span class="chip invalid">✕ invalid</span>}
            <button type="button" class="plain small-button" aria-label={`Remove lap ${lap.number ?? lap.tape_lap}`} onClick={() => onRemove(lap.id)}>×</button>
          </li>
        );
      })}
    </ol>
  );
}

/** Returns the range with data, plus 50 m on each side, if it covers at least 50 m and at most 70 % of the lap: the lap was cut short. */
function knownPart(of: Comparison): Range | null {
  const length = of.distance_m[of.distance_m.length - 1] ?? 0;
  const there = of.distance_m.filter((_, row) => of.laps.some((lap) => lap.delta_ms[row] !== null));
  const [from, to] = [there[0], there[there.length - 1]];
  if (from === undefined || to === undefined || to - from > length * 0.7 || to - from < 50) return null;
  return { from: Math.max(0, from - 50), to: Math.min(length, to + 50) };
}

interface SideProps { of: Comparison; outline: readonly Point[]; channels: string[]; names: string[]; onChannels: (names: string[]) => void }

function Side({ of, outline, channels, names, onChannels }: SideProps) {
  const cursor = useRef(new CursorLine()).current;
  const whole = { from: 0, to: of.distance_m[of.distance_m.length - 1] ?? of.length_m };
  const [zoomed, setZoomed] = useState<Range | null>(() => knownPart(of));
  const [focused, setFocused] = useState(1);
  const range = zoomed ?? whole;
  const focus = Math.min(focused, Math.max(1, of.laps.length - 1));
  const metres = () => (cursor.index === null ? null : of.distance_m[cursor.index] ?? null);
  const onRange = (next: Range | null) => setZoomed(next && next.to - next.from > 10 ? { from: Math.max(0, next.from), to: Math.min(whole.to, next.to) } : null);
  const onPin = (position: number) => cursor.set(indexAt(of.distance_m, position));
  const onCorner = (corner: Corner) => { onRange({ from: corner.from_m - 60, to: corner.to_m + 60 }); onPin(corner.apex_m); };
  const step = (event: KeyboardEvent, sign: number) => cursor.set(Math.max(0, Math.min(of.distance_m.length - 1, (cursor.index ?? 0) + sign * (event.shiftKey ? 10 : 1))));
  useKeys({
    ArrowLeft: (event) => step(event, -1),
    ArrowRight: (event) => step(event, 1),
    n: () => { const next = of.corners.find((corner) => corner.apex_m > (metres() ?? -1) + 5); if (next) onCorner(next); },
    b: () => { const before = [...of.corners].reverse().find((corner) => corner.apex_m < (metres() ?? Infinity) - 5); if (before) onCorner(before); },
  });
  const label = useRef<HTMLElement>(null);
  useEffect(() => {
    const write = () => { const at = metres(); if (label.current) label.current.textContent = at === null ? "" : fixed(at, 0, "m"); };
    write();
    return cursor.on(write);
  }, [of]);
  return (
    <div class="compare-body">
      <div class="compare-main">
        <div class="compare-tools">
          <ZoomButtons range={range} whole={whole} at={metres} least={20} onRange={onRange} />
          <span class="num cursor-place" ref={label} />
          <Verdict of={of} focus={focus} onCorner={onCorner} />
          <AddChannel names={names} shown={channels} onAdd={(name) => onChannels([...channels, name])} />
        </div>
        <Plots of={of} channels={channels} range={range} cursor={cursor} onRange={onRange} onPin={onPin} onRemove={(name) => onChannels(channels.filter((one) => one !== name))} />
      </div>
      <aside class="compare-aside">
        <section class="panel" aria-label="Track map">
          <CompareMap of={of} outline={outline} focus={focus} cursor={cursor} range={range} onPin={onPin} />
          {of.laps.length > 1 && (hasPositions(of) || outline.length > 2) && (
            <p class="map-legend"><span class="lost-key">thick: time lost</span><span class="won-key">dotted: time gained</span>
              {of.laps.length > 2 && (
                <label>lap <select value={String(focus)} onChange={(event) => setFocused(Number(event.currentTarget.value))}>
                  {of.laps.slice(1).map((lap, n) => <option key={lap.lap.id} value={String(n + 1)}>{lap.lap.number ?? lap.lap.tape_lap}: {lapTime(lap.lap.time_ms)}</option>)}
                </select></label>
              )}
            </p>
          )}
        </section>
        <section class="panel"><Corners of={of} range={range} onCorner={onCorner} /></section>
      </aside>
    </div>
  );
}
