// Compares laps by distance. The whole view is in the URL, so that a link shows the same view to others.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Lap, Schemas } from "../../api/client";
import { useFetch } from "../../api/use";
import { Problem } from "../../app/problem";
import { setQuery, useRoute } from "../../app/router";
import { useKeys } from "../../app/shortcuts";
import { onTheme } from "../../app/theme";
import { toast } from "../../app/toasts";
import { pointsOf, useOutline } from "../../map/live_map";
import { MOST_LAPS, lapColour, lapDash } from "../../plots/colours";
import { CursorLine, type Range } from "../../plots/trace";
import { delta, deltaClass, lapTime, moment } from "../../words/format";
import { car, driver, track } from "../../words/names";
import { type Comparison, type Corner, POSITION_CHANNELS, STANDARD, hasPositions, indexAt, rangeOf } from "./comparison";
import { Corners, Verdict } from "./corners";
import { CompareMap } from "./map";
import { LapPicker } from "./picker";
import { Plots } from "./plots";

export function ComparePage() {
  const { query } = useRoute();
  const laps = (query.get("laps") ?? "").split(",").filter(Boolean).slice(0, MOST_LAPS);
  const channels = query.has("ch") ? (query.get("ch") ?? "").split(",").filter(Boolean) : STANDARD;
  const [adding, setAdding] = useState(false);
  const asked = laps.length > 1 ? { laps: laps.join(","), channels: [...new Set([...channels, ...POSITION_CHANNELS])].join(","), step_m: query.get("step") ?? 5 } : null;
  const answer = useFetch<Comparison>(asked && "/compare", asked ?? {});
  const only = useFetch<Lap>(laps.length === 1 ? `/laps/${laps[0]}` : null);
  const [, setVersion] = useState(0);
  useEffect(() => onTheme(() => setVersion((n) => n + 1)), []);
  const set = (next: string[]) => setQuery({ laps: next.join(","), x: null, at: null }, "push");
  const pick = (id: string) => { set([...laps, id].slice(0, MOST_LAPS)); if (laps.length > 0) setAdding(false); };
  const shown = asked ? answer.data : null;
  const known: (Lap | null)[] = laps.map((id, n) => shown?.laps.find((one) => one.lap.id === id)?.lap ?? (n === 0 ? only.data : null));
  const picking = adding || laps.length < 2;
  return (
    <div class="page compare">
      <header class="page-head">
        <h1>Compare{known[0] ? <span class="soft"> {track(known[0])}</span> : ""}</h1>
        <p class="buttons">
          {laps.length > 1 && <button type="button" onClick={() => copyLink()}>Copy link</button>}
          {laps.length > 1 && laps.length < MOST_LAPS && <button type="button" aria-expanded={adding} onClick={() => setAdding(!adding)}>Add a lap</button>}
        </p>
      </header>
      {laps.length > 0 && <Chosen laps={laps} known={known} onChange={set} />}
      {picking && (
        <section class="panel pick-panel" aria-label="Choose a lap">
          <h2>{laps.length === 0 ? "Choose the reference lap" : laps.length === 1 ? "Choose a lap to compare" : "Add a lap"}</h2>
          <LapPicker first={known[0] ?? null} chosen={laps} onPick={pick} />
        </section>
      )}
      {asked && answer.error && <Problem error={answer.error} retry={answer.reload} />}
      {asked && !answer.error && !shown && <p class="loading" role="status">Reading the tapes…</p>}
      {shown && !answer.error && <Side of={shown} channels={channels} query={query} />}
    </div>
  );
}

function copyLink() {
  navigator.clipboard?.writeText(location.href).then(() => toast({ text: "Link copied" }), () => toast({ text: "The browser blocked copying. Copy the link from the address bar.", bad: true }));
}

function Chosen({ laps, known, onChange }: { laps: string[]; known: (Lap | null)[]; onChange: (laps: string[]) => void }) {
  const reference = known[0]?.time_ms ?? null;
  return (
    <ol class="chosen">
      {laps.map((id, n) => {
        const lap = known[n];
        const off = lap?.time_ms != null && reference !== null ? lap.time_ms - reference : null;
        return (
          <li key={id} class="panel">
            <svg width="34" height="6" aria-hidden="true"><path d="M1 3h32" stroke={lapColour(n)} stroke-width="3" stroke-dasharray={lapDash(n).join(" ")} /></svg>
            <span class="chosen-time num">{lapTime(lap?.time_ms)}</span>
            <span class={`num ${n === 0 ? "soft" : deltaClass(off)}`}>{n === 0 ? "reference" : delta(off)}</span>
            <span class="soft who">{lap ? <><a href={`/sessions/${lap.session}`}>lap {lap.number ?? "–"}</a> · {driver(lap)} · {car(lap)} · {moment(lap.started_utc)}{lap.valid === false ? " · ✕ invalid" : ""}</> : "…"}</span>
            <span class="acts">
              {n > 0 && <button type="button" class="plain small-button" onClick={() => onChange([id, ...laps.filter((one) => one !== id)])}>Set as reference</button>}
              <button type="button" class="plain small-button remove" aria-label={`Remove lap ${n + 1}`} onClick={() => onChange(laps.filter((one) => one !== id))}>×</button>
            </span>
          </li>
        );
      })}
    </ol>
  );
}

function Side({ of, channels, query }: { of: Comparison; channels: string[]; query: URLSearchParams }) {
  const cursor = useRef(new CursorLine()).current;
  const length = of.distance_m[of.distance_m.length - 1] ?? of.length_m ?? 0;
  const range = useMemo(() => rangeOf(query.get("x"), length), [query.get("x"), length]);
  const wanted = Number(query.get("lap") ?? 2) - 1;
  const focus = wanted > 0 && wanted < of.laps.length ? wanted : 1;
  const at = query.get("at");
  useEffect(() => { if (at !== null) cursor.set(indexAt(of.distance_m, Number(at))); }, [of, at]);
  const onRange = (next: Range | null) => setQuery({ x: next && next.to - next.from > 10 ? `${Math.max(0, Math.round(next.from))}-${Math.min(Math.round(length), Math.round(next.to))}` : null });
  const onPin = (metres: number) => { setQuery({ at: String(Math.round(metres)) }); cursor.set(indexAt(of.distance_m, metres)); };
  const onCorner = (corner: Corner) => { onRange({ from: corner.from_m - 60, to: corner.to_m + 60 }); onPin(corner.apex_m); };
  useCompareKeys(of, cursor, range, length, onRange, onPin, onCorner);
  const setChannels = (next: string[]) => setQuery({ ch: next.join(",") === STANDARD.join(",") ? null : next.join(",") || "none" });
  const zoomed = range.from > 0 || range.to < length;
  const first = of.laps[0]?.lap;
  const learned = useOutline(first?.game, first?.track, first?.layout, !hasPositions(of));
  const outline = useMemo(() => pointsOf(learned), [learned]);
  return (
    <div class="compare-body">
      <div class="compare-main">
        <div class="compare-tools">
          <Verdict of={of} focus={focus} onCorner={onCorner} />
          <AddChannel lap={of.reference} channels={channels} onAdd={(name) => setChannels([...channels.filter((one) => one !== "none"), name])} />
          {zoomed && <button type="button" onClick={() => onRange(null)}>Whole lap</button>}
        </div>
        <Plots of={of} channels={channels} range={range} cursor={cursor} onRange={onRange} onPin={onPin} onRemove={(name) => setChannels(channels.filter((one) => one !== name))} />
      </div>
      <aside class="compare-aside">
        <section class="panel" aria-label="Track map">
          <CompareMap of={of} outline={outline} focus={focus} cursor={cursor} range={range} onPin={onPin} />
          <p class="map-legend"><span class="lost-key">thick: time lost</span><span class="won-key">dotted: time gained</span>
            {of.laps.length > 2 && (
              <label>lap <select value={String(focus + 1)} onChange={(event) => setQuery({ lap: event.currentTarget.value })}>
                {of.laps.slice(1).map((lap, n) => <option key={lap.lap.id} value={String(n + 2)}>{n + 2}: {lapTime(lap.lap.time_ms)}</option>)}
              </select></label>
            )}
          </p>
        </section>
        <section class="panel"><Corners of={of} range={range} onCorner={onCorner} /></section>
      </aside>
    </div>
  );
}

function useCompareKeys(of: Comparison, cursor: CursorLine, range: Range, length: number,
  onRange: (range: Range | null) => void, onPin: (metres: number) => void, onCorner: (corner: Corner) => void) {
  const metres = () => of.distance_m[cursor.index ?? 0] ?? 0;
  const step = (event: KeyboardEvent, sign: number) => {
    const rows = event.shiftKey ? 10 : 1;
    const next = Math.max(0, Math.min(of.distance_m.length - 1, (cursor.index ?? 0) + sign * rows));
    onPin(of.distance_m[next] as number);
  };
  const zoom = (factor: number) => {
    const middle = cursor.index === null ? (range.from + range.to) / 2 : metres();
    const half = ((range.to - range.from) * factor) / 2;
    onRange(half * 2 >= length ? null : { from: Math.max(0, middle - half), to: Math.min(length, middle + half) });
  };
  useKeys({
    ArrowLeft: (event) => step(event, -1),
    ArrowRight: (event) => step(event, 1),
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
    "0": () => onRange(null),
    n: () => { const next = of.corners.find((corner) => corner.apex_m > metres() + 1); if (next) onCorner(next); },
    b: () => { const before = [...of.corners].reverse().find((corner) => corner.apex_m < metres() - 1); if (before) onCorner(before); },
    Escape: () => setQuery({ x: null, at: null }),
  });
}

function AddChannel({ lap, channels, onAdd }: { lap: string; channels: readonly string[]; onAdd: (name: string) => void }) {
  const [wanted, setWanted] = useState(false);
  // Load the channel names when the field gets the focus.
  const answer = useFetch<Schemas["ChannelsAnswer"]>(wanted ? `/laps/${lap}/channels` : null, { channels: "speed_kmh", step_m: 500 });
  const free = (answer.data?.available ?? []).filter((one) => !channels.includes(one.name));
  const take = (input: HTMLInputElement) => {
    if (!free.some((one) => one.name === input.value)) return;
    onAdd(input.value);
    input.value = "";
  };
  return (
    <label class="add-channel"><span class="hidden">Add a channel</span>
      <input list="channels" placeholder="Add a channel" onFocus={() => setWanted(true)} onInput={(event) => take(event.currentTarget)} />
      <datalist id="channels">{free.map((one) => <option key={one.name} value={one.name}>{one.unit}</option>)}</datalist>
    </label>
  );
}
