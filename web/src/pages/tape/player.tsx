// The player controls. The tape is played back on the server's machine, where other programs see it as a running game.

import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../../app/shortcuts";
import { type Span, tapeTime } from "../../numbers/tape";
import type { SharedTime } from "../../plots/band";
import { count } from "../../words/format";
import { plays, usePlayback } from "./playing";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 50, 100];

const SHAPES: Record<string, string> = {
  play: "M7 4l13 8-13 8z", pause: "M6 4h4v16H6zM14 4h4v16h-4z", stop: "M5 5h14v14H5z",
};

function Shape({ of }: { of: string }) {
  return <svg viewBox="0 0 24 24" width="16" height="16" aria-hidden="true"><path d={SHAPES[of]} fill="currentColor" /></svg>;
}

export function Player({ tape, length, span, whole, playhead, cursor }: { tape: string; length: number; span: Span; whole: boolean; playhead: SharedTime; cursor: SharedTime }) {
  const { now, busy, start, set, end } = usePlayback(tape, playhead);
  const here = plays(now) && now?.tape === tape ? now : null;
  const elsewhere = plays(now) && now?.tape !== tape ? now : null;
  const [speed, setSpeed] = useState(1);
  const [loop, setLoop] = useState(false);
  useEffect(() => { if (here) { setSpeed(here.speed ?? 1); setLoop(!!here.loop); } }, [here?.speed, here?.loop]);
  const ns = (seconds: number) => Math.round(seconds * 1e9);
  const begin = (position?: number) => void start({ speed, loop, ...(whole ? {} : { from_ns: ns(span.from), to_ns: ns(span.to) }), ...(position === undefined ? {} : { position_ns: ns(position) }) });
  const toggle = () => { if (here) void set({ paused: here.state === "playing" }); else if (!elsewhere && !busy) begin(); };
  const seek = (seconds: number) => { if (here) void set({ position_ns: ns(Math.max(0, seconds)) }); };
  const by = (seconds: number) => seek((playhead.seconds ?? 0) + seconds);
  useKeys({
    " ": toggle,
    ArrowLeft: (event) => by(event.shiftKey ? -60 : -5),
    ArrowRight: (event) => by(event.shiftKey ? 60 : 5),
    Enter: () => { if (cursor.seconds !== null) { if (here) seek(cursor.seconds); else begin(cursor.seconds); } },
  });
  return (
    <section class="panel player" aria-label="Player" data-state={now?.state ?? "unknown"}>
      <div class="player-keys">
        <button type="button" class="main player-main" disabled={busy || !!elsewhere} onClick={toggle} aria-label={here?.state === "playing" ? "Pause" : here ? "Resume" : whole ? "Play" : "Play selection"}>
          <Shape of={here?.state === "playing" ? "pause" : "play"} /> {here?.state === "playing" ? "Pause" : here ? "Resume" : whole ? "Play" : "Play selection"}
        </button>
        <button type="button" disabled={busy || !plays(now)} onClick={() => void end()} aria-label="Stop"><Shape of="stop" /></button>
        <span class="player-jumps">{[-60, -5, 5, 60].map((step) => <button type="button" key={step} disabled={!here} onClick={() => by(step)}>{step > 0 ? "+" : "−"}{Math.abs(step) === 60 ? "1 min" : "5 s"}</button>)}</span>
        <label class="player-speed"><span class="soft">Speed</span>
          <select value={String(speed)} onChange={(event) => { const next = Number(event.currentTarget.value); setSpeed(next); if (here) void set({ speed: next }); }}>
            {[...new Set([...SPEEDS, speed])].sort((a, b) => a - b).map((one) => <option key={one} value={String(one)}>{one}×</option>)}
          </select>
        </label>
        <label class="check"><input type="checkbox" checked={loop} onChange={(event) => { const next = event.currentTarget.checked; setLoop(next); if (here) void set({ loop: next }); }} /> Loop</label>
        {here && <SeekBar from={(here.from_ns ?? 0) / 1e9} to={(here.to_ns ?? length * 1e9) / 1e9} playhead={playhead} onSeek={seek} />}
      </div>
      <p class="soft player-note" role="status">{text(now, here, tape)}{elsewhere && <> <a href={`/tapes/${elsewhere.tape}`}>Go to that tape</a></>}</p>
      {(now?.notes ?? []).filter(() => now?.tape === tape).map((note) => <p key={note} class="player-note note">{note}</p>)}
    </section>
  );
}

function text(now: ReturnType<typeof usePlayback>["now"], here: ReturnType<typeof usePlayback>["now"], tape: string): string {
  if (here?.state === "paused") return "Paused. Programs on the server's machine see frozen data.";
  if (here) return "Playing on the server's machine. Programs there see the game running.";
  if (now?.state === "playing" || now?.state === "paused") return "Another tape is playing.";
  if (now?.tape === tape && now.state === "ended" && now.frames != null) return `Finished: ${count(now.frames)} frames played${now.lost ? `, ${count(now.lost)} could not be read` : ""}.`;
  if (now?.tape === tape && now.state === "failed") return "Playback failed before the end.";
  return "Plays the tape into shared memory on the server's machine, as the game did. Dashboards and other programs there can read it.";
}

/** A seek slider and the current position. Updates the DOM directly, because the position changes on every frame. */
function SeekBar({ from, to, playhead, onSeek }: { from: number; to: number; playhead: SharedTime; onSeek: (seconds: number) => void }) {
  const slider = useRef<HTMLInputElement>(null);
  const figure = useRef<HTMLSpanElement>(null);
  const dragged = useRef(false);
  useEffect(() => {
    const show = (at: number | null) => {
      if (at === null) return;
      if (slider.current && !dragged.current) slider.current.value = String(at);
      if (figure.current) figure.current.textContent = tapeTime(at, 1);
    };
    show(playhead.seconds);
    return playhead.on(show);
  }, [playhead]);
  return (
    <span class="player-place">
      <input ref={slider} type="range" min={from} max={to} step="any" aria-label="Position" onInput={() => { dragged.current = true; }}
        onChange={(event) => { dragged.current = false; onSeek(Number(event.currentTarget.value)); }} />
      <span class="num" data-figure="position" ref={figure} /><span class="soft num">/ {tapeTime(to)}</span>
    </span>
  );
}
