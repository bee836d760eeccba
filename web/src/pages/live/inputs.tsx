// Pedals and steering: bars for the current values, and a trace of the last seconds.

import { onTheme, colour } from "../../app/theme";
import type { Frame } from "../../live/frame";
import { fixed } from "../../words/format";
import { Figure, useDrawn } from "./figures";

const PEDALS = [
  { name: "Clutch", key: "clutch", of: (f: Frame) => f.clutch },
  { name: "Brake", key: "brake", of: (f: Frame) => f.brake },
  { name: "Throttle", key: "throttle", of: (f: Frame) => f.throttle },
] as const;

function Pedal({ name, tone, of }: { name: string; tone: string; of: (frame: Frame) => number | null }) {
  const bar = useDrawn<HTMLElement>((element, frame) => {
    const value = frame ? of(frame) : null;
    element.style.transform = `scaleY(${(value ?? 0).toFixed(3)})`;
    element.parentElement?.toggleAttribute("data-unknown", value === null);
  });
  return (
    <div class={`pedal ${tone}`}>
      <div aria-hidden="true"><i ref={bar} /></div>
      <Figure of={(f) => { const value = of(f); return value === null ? "–" : fixed(value * 100); }} label={tone} />
      <span class="label">{name}</span>
    </div>
  );
}

export function Pedals() {
  return <div class="pedals">{PEDALS.map((pedal) => <Pedal key={pedal.key} name={pedal.name} tone={pedal.key} of={pedal.of} />)}</div>;
}

export function Steering() {
  const wheel = useDrawn<SVGGElement>((element, frame) => {
    element.setAttribute("transform", `rotate(${((frame?.steering ?? 0) * 225).toFixed(1)} 40 40)`);
    element.toggleAttribute("data-unknown", frame?.steering == null);
  });
  return (
    <div class="steering">
      <svg viewBox="0 0 80 80" role="img" aria-label="Steering wheel">
        <g ref={wheel}>
          <circle cx="40" cy="40" r="32" class="rim" /><path d="M9 42h62M40 44v27" class="spoke" /><path d="M36 8h8" class="top-mark" />
        </g>
      </svg>
      <Figure of={(f) => (f.steering === null ? "–" : fixed(f.steering * 100))} />
      <span class="label">Steering</span>
    </div>
  );
}

interface InputSample { at: number; throttle: number | null; brake: number | null; steering: number | null }

/** The shortest time that a trace shows. A shorter one would rescale visibly. */
const LEAST_MS = 1500;

/** Returns a function that draws the inputs of the last seconds. `alone` leaves out the grid lines, for overlays. */
export function makeTrace(seconds: number, alone = false) {
  const kept: InputSample[] = [];
  let colours: Record<string, string> = {};
  // Colours are read on the first draw, because styles may load after scripts. A theme change resets them.
  onTheme(() => { colours = {}; });
  return (canvas: HTMLCanvasElement, frame: Frame | null, now: number) => {
    // Freeze the trace while not driving: an empty trace would look like released pedals.
    if (frame?.state === "driving") kept.push({ at: now, throttle: frame.throttle, brake: frame.brake, steering: frame.steering });
    const end = kept[kept.length - 1]?.at ?? now;
    while (kept.length && (kept[0] as InputSample).at < end - seconds * 1000) kept.shift();
    if (!colours.edge) colours = Object.fromEntries(["throttle", "brake", "soft", "edge"].map((name) => [name, colour(name)]));
    const ratio = devicePixelRatio || 1;
    const [w, h] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    const pen = canvas.getContext("2d");
    if (!pen || w === 0 || h === 0) return;
    pen.clearRect(0, 0, w, h);
    const edge = 3 * ratio;
    // At first, stretch the samples so far over the full width.
    const shownMs = Math.max(LEAST_MS, Math.min(seconds * 1000, end - (kept[0]?.at ?? end)));
    const x = (at: number) => w - ((end - at) / shownMs) * w;
    const y = (value: number) => h - edge - value * (h - 2 * edge);
    pen.lineWidth = ratio;
    pen.strokeStyle = colours.edge ?? "";
    if (!alone) for (const level of [0, 0.5, 1]) stroke(pen, [[0, y(level)], [w, y(level)]]);
    pen.lineJoin = "round";
    const line = (tone: string, width: number, of: (sample: InputSample) => number | null, dash: number[] = []) => {
      pen.strokeStyle = colours[tone] ?? "";
      pen.lineWidth = width * ratio;
      pen.setLineDash(dash.map((part) => part * ratio));
      stroke(pen, kept.flatMap((sample) => { const value = of(sample); return value === null ? [] : [[x(sample.at), y(value)] as [number, number]]; }));
      pen.setLineDash([]);
    };
    line("soft", 1.5, (sample) => (sample.steering === null ? null : 0.5 + sample.steering / 2), [2, 3]);
    line("throttle", 2.5, (sample) => sample.throttle);
    // Fill the area below the brake, to distinguish it from the throttle without colours.
    area(pen, kept.flatMap((sample) => (sample.brake === null ? [] : [[x(sample.at), y(sample.brake)] as [number, number]])), y(0), `${colours.brake ?? ""}44`);
    line("brake", 2.5, (sample) => sample.brake);
  };
}

function stroke(pen: CanvasRenderingContext2D, points: [number, number][]) {
  pen.beginPath();
  points.forEach(([x, y], n) => (n ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.stroke();
}

function area(pen: CanvasRenderingContext2D, points: [number, number][], ground: number, tone: string) {
  const [first, last] = [points[0], points[points.length - 1]];
  if (!first || !last) return;
  pen.fillStyle = tone;
  pen.beginPath();
  pen.moveTo(first[0], ground);
  for (const [x, y] of points) pen.lineTo(x, y);
  pen.lineTo(last[0], ground);
  pen.fill();
}

const SECONDS = 10;
const drawTrace = makeTrace(SECONDS);

export function InputTrace() {
  const canvas = useDrawn<HTMLCanvasElement>(drawTrace);
  return <div class="trace-box"><canvas ref={canvas} class="trace" role="img" aria-label={`Throttle, brake and steering over the last ${SECONDS} seconds`} /></div>;
}
