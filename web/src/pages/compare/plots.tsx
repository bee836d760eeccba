// The plots of a comparison, stacked: the delta first, then the selected channels.

import { useEffect, useMemo, useRef } from "preact/hooks";
import { lapColour, lapDash } from "../../plots/colours";
import { savePng } from "../../plots/png";
import { type CursorLine, type Range, Trace, type Values } from "../../plots/trace";
import { delta, fixed, lapTime } from "../../words/format";
import { car, driver, track } from "../../words/names";
import { type Comparison, channelName, column, shown, unitOf } from "./comparison";

interface Shared {
  of: Comparison;
  range: Range;
  cursor: CursorLine;
  onRange: (range: Range | null) => void;
  onPin: (metres: number) => void;
}

export function Plots({ channels, onRemove, ...shared }: Shared & { channels: readonly string[]; onRemove: (name: string) => void }) {
  const { of } = shared;
  const deltas = useMemo(() => of.laps.slice(1).map((lap) => lap.delta_ms), [of]);
  const numbers = useMemo(() => of.laps.map((_, n) => n), [of]);
  const others = useMemo(() => numbers.slice(1), [numbers]);
  const there = channels.filter((name) => of.laps.some((lap) => column(lap, name)));
  return (
    <div class="plots">
      {others.length > 0 && <Plot {...shared} name="Delta" unit="s, + is slower than reference" lines={deltas} laps={others} height={170} isDelta last={there.length === 0} text={(value) => delta(value)} />}
      {there.map((name, n) => <Channel key={name} {...shared} name={name} laps={numbers} last={n === there.length - 1} onRemove={() => onRemove(name)} />)}
    </div>
  );
}

function Channel({ name, of, laps, onRemove, ...rest }: Shared & { name: string; laps: number[]; last: boolean; onRemove: () => void }) {
  const lines = useMemo(() => of.laps.map((lap) => shown(name, column(lap, name)?.values ?? of.distance_m.map(() => null))), [of, name]);
  const unit = unitOf(name, of.laps.map((lap) => column(lap, name)?.unit).find(Boolean) ?? "");
  const digits = useMemo(() => digitsFor(lines), [lines]);
  const height = (name === "speed_kmh" ? 190 : name === "gear" ? 84 : 110) + (rest.last ? 22 : 0);
  return <Plot {...rest} of={of} name={channelName(name)} unit={unit} lines={lines} laps={laps} height={height} steps={name === "gear"} text={(value) => fixed(value, digits)} onRemove={onRemove} />;
}

export function digitsFor(lines: readonly Values[]): number {
  const most = Math.max(0, ...lines.flatMap((line) => line.map((value) => Math.abs(value ?? 0))));
  const whole = lines.every((line) => line.every((value) => value === null || Number.isInteger(value)));
  return whole || most >= 50 ? 0 : most >= 10 ? 1 : 2;
}

type PlotProps = Shared & {
  name: string; unit: string; lines: Values[]; laps: number[]; height: number; isDelta?: boolean; steps?: boolean; last?: boolean;
  text: (value: number | null | undefined) => string; onRemove?: () => void;
};

function Plot({ name, unit, lines, laps, of, text, onRemove, ...rest }: PlotProps) {
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const marks = useMemo(() => of.corners.map((corner) => ({ at: corner.apex_m, text: `T${corner.n}` })), [of]);
  const save = () => {
    const legend = laps.map((n) => ({ text: lapText(of, n), colour: lapColour(n), dash: lapDash(n) }));
    const first = of.laps[0]?.lap;
    if (canvas.current) void savePng(canvas.current, `${name}${unit ? `, ${unit}` : ""} · ${first ? track(first) : ""}`, legend, `gametape-${name.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.png`);
  };
  return (
    <figure class="plot" data-channel={name}>
      <figcaption>
        <b>{name}</b> <span class="soft">{unit}</span>
        <Readout cursor={rest.cursor} lines={lines} laps={laps} text={text} />
        <button type="button" class="plain small-button" onClick={save} aria-label={`Save ${name} as PNG`}>PNG</button>
        {onRemove && <button type="button" class="plain small-button" onClick={onRemove} aria-label={`Remove ${name}`}>×</button>}
      </figcaption>
      <Trace {...rest} name={name} x={of.distance_m} lines={lines} laps={laps} marks={marks} canvas={canvas} />
    </figure>
  );
}

/** The values at the cursor. Updates the DOM directly, without rendering. */
export function Readout({ cursor, lines, laps, text }: { cursor: CursorLine; lines: Values[]; laps: number[]; text: PlotProps["text"] }) {
  const elements = useRef<(HTMLElement | null)[]>([]);
  useEffect(() => {
    const write = (index: number | null) => lines.forEach((line, n) => {
      const element = elements.current[n];
      if (element) element.textContent = index === null ? "" : text(line[index]);
    });
    write(cursor.index);
    return cursor.on(write);
  }, [cursor, lines, text]);
  return <span class="readout">{laps.map((lap, n) => <span key={lap} class="num" style={{ color: lapColour(lap) }} ref={(element) => { elements.current[n] = element; }} />)}</span>;
}

export function lapText(of: Comparison, n: number): string {
  const lap = of.laps[n]?.lap;
  return lap ? `${lapTime(lap.time_ms)} · lap ${lap.number ?? "–"} · ${driver(lap)} · ${car(lap)}` : "–";
}
