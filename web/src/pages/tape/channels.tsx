// The channels of a tape, as stacked plots. The server downsamples to what can be drawn, so that a shorter range has more detail.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Lap, Schemas } from "../../api/client";
import { useFetch } from "../../api/use";
import { Problem } from "../../app/problem";
import { type OverviewChannel, type Points, type Span, type TapeInside, channelNames, digitsFor, nearest, pointsOf, tapeTime } from "../../numbers/tape";
import { Band, type Line, SharedTime } from "../../plots/band";
import { savePng } from "../../plots/png";
import { colour } from "../../app/theme";
import { fixed } from "../../words/format";
import type { Mark } from "./strip";

/** The number of stretches to request: about one per pixel of a wide screen. */
const POINTS = 1200;

interface Props {
  tape: TapeInside; channels: readonly string[]; span: Span; whole: boolean; cursor: SharedTime; playhead: SharedTime; laps: readonly Lap[]; marks: readonly Mark[];
  onSpan: (span: Span | null) => void; onRemove: (name: string) => void;
}

export function Channels({ tape, channels, span, whole, laps, marks, ...rest }: Props) {
  const ns = (seconds: number) => Math.round(seconds * 1e9);
  const asked = { channels: channels.join(","), points: POINTS, ...(whole ? {} : { from_ns: ns(span.from), to_ns: Math.max(ns(span.to), ns(span.from) + 1) }) };
  const answer = useFetch<Schemas["OverviewAnswer"]>(channels.length > 0 ? `/tapes/${tape.tape.id}/overview` : null, asked);
  const rates = useMemo(() => new Map(tape.streams.map((stream) => [stream.name, stream.rate_hz ?? null])), [tape]);
  const lines = useMemo((): Line[] => [...laps.map((lap) => ({ at: lap.start_ns / 1e9, strong: false })), ...marks.map((mark) => ({ at: mark.at, strong: true }))], [laps, marks]);
  if (channels.length === 0) return <p class="panel note-panel soft">No channels selected. Add one by name.</p>;
  if (answer.error && answer.data === null) return <Problem error={answer.error} retry={answer.reload} />;
  if (answer.data === null) return <p class="panel loading" role="status">Reading the tape…</p>;
  const found = new Map((answer.data?.channels ?? []).map((one) => [one.name, one]));
  return (
    <div class="plots" data-loading={answer.loading ? "yes" : undefined} data-step={answer.data?.channels[0]?.step_ns}>
      {channels.map((name, n) => {
        const channel = found.get(name);
        return <Channel key={name} name={name} tape={tape} channel={channel ?? null} rate={rates.get(name.split("/")[0] ?? "") ?? null} span={span} last={n === channels.length - 1} lines={lines} {...rest} />;
      })}
      {answer.error && answer.data !== null && <p class="panel note-panel note">{answer.error.message}</p>}
    </div>
  );
}

const NONE: Points = { x: [], min: [], max: [] };

function Channel({ name, tape, channel, rate, span, last, lines, cursor, playhead, onSpan, onRemove }: {
  name: string; tape: TapeInside; channel: OverviewChannel | null; rate: number | null; span: Span; last: boolean; lines: Line[]; cursor: SharedTime; playhead: SharedTime;
  onSpan: Props["onSpan"]; onRemove: Props["onRemove"];
}) {
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const points = useMemo(() => (channel ? pointsOf(channel, rate) : NONE), [channel, rate]);
  const plain = name.split("/")[1] ?? name;
  const unit = unitText(channel?.unit ?? "");
  const file = `gametape-${plain.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.png`;
  const save = () => {
    if (canvas.current) void savePng(canvas.current, `${plain}${unit ? `, ${unit}` : ""} · ${tape.tape.file ?? ""}`, [{ text: `${tapeTime(span.from)} to ${tapeTime(span.to)}`, colour: colour("clutch"), dash: [] }], file);
  };
  return (
    <figure class="plot" data-channel={name}>
      <figcaption>
        <b title={name}>{plain}</b> <span class="soft">{unit}</span>
        <Readout points={points} span={span} cursor={cursor} />
        <button type="button" class="plain small-button" onClick={save} aria-label={`Save ${plain} as PNG`}>PNG</button>
        <button type="button" class="plain small-button" onClick={() => onRemove(name)} aria-label={`Remove ${plain}`}>×</button>
      </figcaption>
      <Band points={points} span={span} height={last ? 118 : 96} last={last} cursor={cursor} playhead={playhead} lines={lines} onSpan={onSpan} onPick={(at) => cursor.set(at)} canvas={canvas} />
    </figure>
  );
}

const unitText = (unit: string): string => ({ degC: "°C", deg: "°", kmh: "km/h" })[unit] ?? unit;

/** The values at the cursor. Updates the DOM directly, without rendering. */
function Readout({ points, span, cursor }: { points: Points; span: Span; cursor: SharedTime }) {
  const label = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const write = (at: number | null) => {
      if (!label.current) return;
      const n = at === null ? null : nearest(points.x, at);
      const [min, max] = n === null ? [null, null] : [points.min[n] ?? null, points.max[n] ?? null];
      if (at === null || min === null || max === null) { label.current.textContent = ""; return; }
      const digits = Math.abs(max) >= 100 && Math.abs(min) >= 100 ? 0 : Number.isInteger(min) && Number.isInteger(max) ? 0 : 2;
      const [low, high] = [fixed(min, digits), fixed(max, digits)];
      label.current.textContent = `${tapeTime(at, digitsFor(span))}   ${low === high ? low : `${low} to ${high}`}`;
    };
    write(cursor.seconds);
    return cursor.on(write);
  }, [points, span, cursor]);
  return <span class="readout"><span class="num" ref={label} /></span>;
}

export function AddChannel({ tape, channels, onAdd }: { tape: TapeInside; channels: readonly string[]; onAdd: (name: string) => void }) {
  const [wanted, setWanted] = useState(false);
  const names = useMemo(() => (wanted ? channelNames(tape) : []), [tape, wanted]);
  const free = names.filter((one) => !channels.includes(one.name));
  const take = (input: HTMLInputElement) => {
    if (channels.length >= 16 || !free.some((one) => one.name === input.value)) return;
    onAdd(input.value);
    input.value = "";
  };
  return (
    <label class="add-channel"><span class="hidden">Add a channel</span>
      <input list="tape-channels" placeholder="Add a channel" onFocus={() => setWanted(true)} onInput={(event) => take(event.currentTarget)} />
      <datalist id="tape-channels">{free.map((one) => <option key={one.name} value={one.name}>{one.unit}</option>)}</datalist>
    </label>
  );
}
