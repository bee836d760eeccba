// The overview of a whole tape: laps, marks, the visible range and the playhead. A click on a lap zooms to it.

import { useEffect, useRef } from "preact/hooks";
import type { Lap } from "../../api/client";
import { type Span, tapeTime } from "../../numbers/tape";
import type { SharedTime } from "../../plots/band";
import { lapTime } from "../../words/format";
import { phase } from "../../words/names";

export interface Mark { at: number; kind: string; text: string }

export function Strip({ length, laps, marks, bestMs, span, playhead, onSpan }: {
  length: number; laps: readonly Lap[]; marks: readonly Mark[]; bestMs: number | null; span: Span; playhead: SharedTime; onSpan: (span: Span | null) => void;
}) {
  const head = useRef<HTMLElement>(null);
  useEffect(() => {
    const show = (at: number | null) => {
      if (!head.current) return;
      head.current.hidden = at === null;
      head.current.style.left = `${((at ?? 0) / length) * 100}%`;
    };
    show(playhead.seconds);
    return playhead.on(show);
  }, [playhead, length]);
  const part = (from: number, to: number) => ({ left: `${(from / length) * 100}%`, width: `${(Math.max(0, to - from) / length) * 100}%` });
  const whole = span.from <= 0 && span.to >= length;
  return (
    <div class="tape-strip" role="group" aria-label="Tape overview">
      <div class="strip-laps">
        {laps.map((lap) => {
          const [from, to] = [lap.start_ns / 1e9, (lap.end_ns ?? length * 1e9) / 1e9];
          const best = lap.time_ms != null && lap.time_ms === bestMs && lap.eligible;
          const name = `Lap ${lap.tape_lap}, ${lap.time_ms != null ? lapTime(lap.time_ms) : lap.state}, ${phase(lap.phase)}`;
          return (
            <button type="button" key={lap.id} class={`strip-lap ${best ? "best" : ""} ${lap.phase === "flying" ? "" : "pale"}`} style={part(from, to)} title={name} aria-label={name}
              onClick={() => onSpan({ from, to })}><span>{lap.tape_lap}</span></button>
          );
        })}
      </div>
      {marks.map((mark, n) => (
        <button type="button" key={n} class="strip-mark" style={{ left: `${(mark.at / length) * 100}%` }} title={`${tapeTime(mark.at)} ${mark.text || mark.kind}`} aria-label={`Mark at ${tapeTime(mark.at)}: ${mark.text || mark.kind}`}
          onClick={() => onSpan({ from: Math.max(0, mark.at - 10), to: mark.at + 10 })} />
      ))}
      {!whole && <i class="strip-window" style={part(span.from, span.to)} aria-hidden="true" />}
      <i ref={head} class="strip-head" aria-hidden="true" hidden />
      <p class="strip-times num soft" aria-hidden="true"><span>0:00</span><span>{tapeTime(length / 2)}</span><span>{tapeTime(length)}</span></p>
    </div>
  );
}
