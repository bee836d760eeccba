// Tables of a tape's contents: sessions with laps, marks and other events, streams with their channels, data loss and problems.

import { useState } from "preact/hooks";
import type { Lap } from "../../api/client";
import { type Span, type TapeInside, tapeTime } from "../../numbers/tape";
import { bytes, count, fixed, lapTime, plural } from "../../words/format";
import { game, phase, track, word } from "../../words/names";
import { Star } from "../lap_words";

interface Props { tape: TapeInside; laps: readonly Lap[]; channels: readonly string[]; onSpan: (span: Span | null) => void; onChannel: (name: string) => void }

export function About({ tape, laps, channels, onSpan, onChannel }: Props) {
  return (
    <>
      <div class="two tape-two">
        <Laps tape={tape} laps={laps} onSpan={onSpan} />
        <div class="tape-column"><Events tape={tape} onSpan={onSpan} /><State tape={tape} /></div>
      </div>
      <Streams tape={tape} channels={channels} onChannel={onChannel} />
    </>
  );
}

function Laps({ tape, laps, onSpan }: { tape: TapeInside; laps: readonly Lap[]; onSpan: Props["onSpan"] }) {
  return (
    <section><h2>Sessions and laps</h2>
      {tape.sessions.length === 0 && <p class="panel note-panel soft">No sessions found in this tape. Run <code>gametape laps rebuild</code> to scan again.</p>}
      {tape.sessions.length > 0 && (
        <div class="panel scroll-x tape-laps" tabIndex={0} role="region" aria-label="Laps"><table>
          <thead><tr><th>Lap</th><th class="num">Start</th><th class="num">Time</th><th>Type</th></tr></thead>
          {tape.sessions.map((session) => (
            <tbody key={session.id}>
              <tr><th colSpan={4} scope="rowgroup" class="rowgroup"><a href={`/sessions/${session.id}`}>{session.name ?? track(session)}, {word(session.type)}</a></th></tr>
              {laps.filter((lap) => lap.session === session.id).map((lap) => (
                <tr key={lap.id} data-lap={lap.id}>
                  <td><button type="button" class="plain small-button" onClick={() => { onSpan({ from: lap.start_ns / 1e9, to: (lap.end_ns ?? (tape.tape.duration_ns ?? 0)) / 1e9 }); scrollTo({ top: 0 }); }} aria-label={`Show lap ${lap.tape_lap}`}>{lap.tape_lap}</button></td>
                  <td class="num soft">{tapeTime(lap.start_ns / 1e9)}</td>
                  <td class={`num ${lap.id === session.best_lap ? "purple" : ""}`}>{lap.id === session.best_lap && <Star />}{lap.valid === false ? "✕ " : ""}{lapTime(lap.time_ms)}</td>
                  <td>{lap.state === "final" ? phase(lap.phase) : word(lap.state)}{lap.id === session.best_lap ? " · best" : ""}</td>
                </tr>
              ))}
            </tbody>
          ))}
        </table></div>
      )}
    </section>
  );
}

function Events({ tape, onSpan }: { tape: TapeInside; onSpan: Props["onSpan"] }) {
  const marks = tape.events.filter((event) => event.kind === "mark").length;
  const [all, setAll] = useState(false);
  const shown = tape.events.filter((event) => all || marks === 0 || event.kind === "mark").slice(0, 500);
  return (
    <section><h2>{marks > 0 ? plural(marks, "mark") : "Marks"}</h2>
      {tape.events.length === 0
        ? <p class="panel note-panel soft">No marks. Set one while recording with <code>gametape mark TEXT</code>.</p>
        : <div class="panel scroll-x tape-events" tabIndex={0} role="region" aria-label="Marks and events"><table>
            <thead><tr><th>Time</th><th>Event</th><th>Text</th></tr></thead>
            <tbody>{shown.map((event, n) => (
              <tr key={n}><td><button type="button" class="plain small-button num" onClick={() => { const at = event.at_ns / 1e9; onSpan({ from: Math.max(0, at - 10), to: at + 10 }); scrollTo({ top: 0 }); }} aria-label={`Show ${tapeTime(event.at_ns / 1e9)}`}>{tapeTime(event.at_ns / 1e9)}</button></td><td>{word(event.kind)}</td><td class="wide-text">{event.text}</td></tr>
            ))}</tbody>
          </table></div>}
      {marks > 0 && marks < tape.events.length && <p><button type="button" class="plain small-button" onClick={() => setAll(!all)}>{all ? "Marks only" : `All ${count(tape.events.length + tape.events_left_out)} events`}</button></p>}
    </section>
  );
}

function State({ tape }: { tape: TapeInside }) {
  const { loss } = tape;
  const known = loss.dropped != null;
  const lost: [string, number | null | undefined][] = [["dropped", loss.dropped], ["torn", loss.torn], ["missed", loss.missed], ["gaps", loss.gaps]];
  return (
    <section><h2>Integrity</h2>
      <div class="panel note-panel tape-state">
        <p>{tape.downloadable ? "Closed properly." : "Not closed: still recording, or cut off."}{tape.problems.length === 0 ? " No problems found." : ""} <span class="soft">Format {tape.format_version}.</span></p>
        <p>{known ? lost.map(([name, n]) => <span key={name} class={n ? "slower" : "soft"}>{count(n)} {name}  </span>) : <span class="soft">No loss counters recorded.</span>}</p>
        {tape.problems.length > 0 && <ul>{tape.problems.map((problem, n) => <li key={n} class={problem.kind === "not_closed" ? "soft" : "slower"}>{problem.text}</li>)}</ul>}
        <p class="soft">For a full check, run <code>gametape verify</code>.</p>
      </div>
    </section>
  );
}

function Streams({ tape, channels, onChannel }: { tape: TapeInside; channels: readonly string[]; onChannel: Props["onChannel"] }) {
  return (
    <section><h2>Streams</h2>
      <div class="panel scroll-x" tabIndex={0} role="region" aria-label="Streams"><table class="streams">
        <thead><tr><th>Stream</th><th>Game</th><th class="num">Rate</th><th class="num">Frames</th><th class="num">Raw</th><th class="num">Stored</th><th>Channels</th></tr></thead>
        <tbody>{tape.streams.map((stream) => (
          <tr key={stream.name}>
            <td><b>{stream.name}</b></td><td class="soft">{game(stream.game)}</td>
            <td class="num">{fixed(stream.rate_hz, (stream.rate_hz ?? 0) < 10 ? 2 : 0, "Hz")}</td><td class="num">{count(stream.frames)}</td>
            <td class="num soft">{bytes(stream.bytes_raw)}</td><td class="num">{bytes(stream.bytes_stored)}</td>
            <td class="stream-channels">{stream.channels.length === 0 ? <span class="soft">none</span> : (
              <details><summary>{plural(stream.channels.length, "channel")}</summary><p>{stream.channels.map((channel) => {
                const name = `${stream.name}/${channel.name}${channel.count > 1 ? ".0" : ""}`;
                const text = `${channel.name}${channel.count > 1 && !/^char/.test(channel.type) ? `[${channel.count}]` : ""}`;
                return /^char/.test(channel.type) || channels.includes(name)
                  ? <span key={channel.name} class="chip">{text}</span>
                  : <button key={channel.name} type="button" class="chip" title={channel.unit ?? ""} disabled={channels.length >= 16} onClick={() => onChannel(name)}>{text}</button>;
              })}</p></details>
            )}</td>
          </tr>
        ))}</tbody>
      </table></div>
    </section>
  );
}
