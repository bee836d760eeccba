// A match from above on a timeline: players, ball, marks. Space plays and pauses.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useKeys } from "../src/app/shortcuts";
import { tapeTime } from "../report/window";
import { type Field, extentOf, placeAt } from "./field";

const W = 840;
const MARGIN = 24;
const SPEEDS = [1, 2, 5, 10];

export function FieldView({ field, marks }: { field: Field; marks: readonly { at_ns: number; text: string }[] }) {
  const end = field.from_s + (field.count - 1) * field.step_s;
  const [at, setAt] = useState(field.from_s);
  const [speed, setSpeed] = useState(1);
  const [playing, setPlaying] = useState(false);
  const time = useRef(at);
  const dots = useRef<(SVGGElement | null)[]>([]);
  const slider = useRef<HTMLInputElement>(null);
  const extent = useMemo(() => extentOf(field), [field]);
  const [width, depth] = extent ? [extent.along[1] - extent.along[0] || 1, extent.across[1] - extent.across[0] || 1] : [1, 1];
  const scale = (W - 2 * MARGIN) / width;
  const H = Math.min(600, Math.max(160, depth * scale + 2 * MARGIN));
  const own = Math.min(scale, (H - 2 * MARGIN) / depth);

  const place = (seconds: number) => {
    time.current = seconds;
    field.things.forEach((thing, n) => {
      const found = extent && placeAt(field, thing, seconds);
      const dot = dots.current[n];
      dot?.setAttribute("visibility", found ? "visible" : "hidden");
      if (found && extent) dot?.setAttribute("transform", `translate(${(MARGIN + (found[0] - extent.along[0]) * own).toFixed(1)} ${(H - MARGIN - (found[1] - extent.across[0]) * own).toFixed(1)})`);
    });
    if (slider.current) slider.current.value = String(seconds);
  };
  useEffect(() => place(time.current), [field, at]);
  useEffect(() => {
    if (!playing) return undefined;
    let last = performance.now();
    let told = 0;
    let frame = requestAnimationFrame(function step(now) {
      const next = Math.min(end, time.current + ((now - last) / 1000) * speed);
      last = now;
      place(next);
      if (now - told > 250) { told = now; setAt(next); }
      if (next >= end) return setPlaying(false);
      frame = requestAnimationFrame(step);
    });
    return () => cancelAnimationFrame(frame);
  }, [playing, speed]);
  const jump = (seconds: number) => { const next = Math.max(field.from_s, Math.min(end, seconds)); place(next); setAt(next); };
  const toggle = () => { if (!playing && time.current >= end) jump(field.from_s); setPlaying(!playing); };
  useKeys({ " ": toggle });
  if (!extent) return null;
  return (
    <section class="panel field" aria-label="Match from above">
      <svg viewBox={`0 0 ${W} ${H.toFixed(0)}`} role="img" aria-label={`Positions of ${field.things.length} players and balls`}>
        <rect x={MARGIN / 2} y={MARGIN / 2} width={W - MARGIN} height={H - MARGIN} rx="14" class="ground" />
        <path d={`M${MARGIN + (0 - extent.along[0]) * own} ${MARGIN / 2}V${H - MARGIN / 2}`} class="middle" />
        {field.things.map((thing, n) => (
          <g key={thing.name} ref={(element) => { dots.current[n] = element; }} visibility="hidden" class={`thing ${thing.kind} team-${thing.team ?? "none"}`} data-thing={thing.name}>
            {thing.kind === "player" && thing.team === 1 ? <rect x="-7" y="-7" width="14" height="14" rx="2" /> : <circle r={thing.kind === "ball" ? 6 : 8} />}
            {thing.kind === "player" && <text y="-12">{thing.name}</text>}
          </g>
        ))}
      </svg>
      <div class="field-tools">
        <button type="button" onClick={toggle} title="Space">{playing ? "Pause" : "Play"}</button>
        <label><span class="hidden">Speed</span>
          <select value={String(speed)} onChange={(event) => setSpeed(Number(event.currentTarget.value))}>{SPEEDS.map((one) => <option key={one} value={String(one)}>{one}×</option>)}</select>
        </label>
        <input ref={slider} type="range" min={field.from_s} max={end} step="0.1" value={at} aria-label="Time" aria-valuetext={tapeTime(at)} onInput={(event) => jump(Number(event.currentTarget.value))} />
        <span class="num">{tapeTime(at)} / {tapeTime(end)}</span>
      </div>
      {marks.length > 0 && <p class="field-marks">{marks.slice(0, 40).map((mark) => <button key={mark.at_ns} type="button" class="plain small-button" onClick={() => jump(mark.at_ns / 1e9)}>{tapeTime(mark.at_ns / 1e9)} {mark.text}</button>)}</p>}
    </section>
  );
}
