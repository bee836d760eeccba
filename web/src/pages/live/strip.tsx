// The header of the live view: track, car and session, and the state of the game in words.

import { useConnection } from "../../app/shell";
import type { Session } from "../../api/client";
import { feed } from "../../live/feed";
import type { OtherCar, State } from "../../live/messages";
import { fixed, lapTime } from "../../words/format";
import { car as carName, game, track as trackName, word } from "../../words/names";
import { Figure, useFact } from "./figures";

const STATES: Record<State, { text: string; hint: string }> = {
  driving: { text: "Live", hint: "" },
  paused: { text: "Paused", hint: "The game is paused. Timing is stopped." },
  replay: { text: "Replay", hint: "The game is showing a replay. Laps do not count." },
  menu: { text: "In menu", hint: "The car is not being driven." },
  waiting: { text: "No game", hint: "" },
  stale: { text: "No new data", hint: "The game is running but has sent no data for more than two seconds." },
};

export function Strip({ session }: { session: Session | null }) {
  const connection = useConnection();
  const facts = useFact((f) => ({
    state: f?.state ?? null, game: f?.car.game ?? null, track: f?.car.track ?? null, layout: f?.car.layout ?? null,
    car: f?.car.car ?? null, driver: f?.car.driver ?? null, error: f?.car.error ?? null,
  }));
  const lost = connection === "lost";
  const state = facts.state ? STATES[facts.state] : null;
  const named = session && session.track === facts.track ? session : null;
  return (
    <header class="strip">
      <span class={`state ${lost ? "lost-line" : facts.state ?? "none"}`} role="status" data-state={lost ? "lost" : facts.state ?? "none"}>
        {lost ? "Connection lost" : state?.text ?? "Connecting"}
      </span>
      <h1>{trackName({ ...facts, track_name: named?.track_name ?? null })}</h1>
      <p>
        <span>{carName({ ...facts, car_name: named?.car_name ?? null })}</span>
        {facts.driver && <span>{facts.driver}</span>}
        {facts.game && <span>{game(facts.game)}</span>}
        {session && facts.state !== "waiting" && <span>{word(session.type)}</span>}
      </p>
      <dl>
        <Fact name="Air" of={(f) => fixed(f.car.air_c, 0, "°C")} />
        <Fact name="Track" of={(f) => fixed(f.car.track_c, 0, "°C")} />
        <Fact name="Position" of={(f) => fixed(f.car.race_position)} />
        <Fact name="Time left" of={(f) => lapTime(f.car.session_left_ms, 0)} />
      </dl>
      <Choice />
      {facts.error && <p class="hint" role="alert" data-error>{facts.error}. The recording continues; restart gametape to get this part back.</p>}
      {!lost && state?.hint && <p class="hint">{state.hint}</p>}
    </header>
  );
}

function Fact({ name, of }: { name: string; of: Parameters<typeof Figure>[0]["of"] }) {
  return <div><dt class="label">{name}</dt><dd><Figure of={of} /></dd></div>;
}

/** Selects the car to show if several are being recorded. */
function Choice() {
  const { own, others } = useFact((f) => ({
    own: f?.car.tape ? { tape: f.car.tape, game: f.car.game, track: f.car.track, car: f.car.car, driver: f.car.driver } : null,
    others: f?.car.others ?? [],
  }));
  if (!own || others.length === 0) return null;
  const all = [own, ...others].sort((a, b) => a.tape.localeCompare(b.tape));
  return (
    <label class="choice">
      <span class="label">Live cars</span>
      <select value={own.tape} onChange={(event) => feed.follow(event.currentTarget.value)}>
        {all.map((one) => <option key={one.tape} value={one.tape}>{choiceText(one)}</option>)}
      </select>
    </label>
  );
}

/** Returns the label of a car in the selection. */
export function choiceText(one: OtherCar): string {
  const named = { game: one.game ?? null, track: one.track ?? null, car: one.car ?? null, layout: null, track_name: null, car_name: null };
  return [carName(named), trackName(named), one.driver].filter(Boolean).join(" · ");
}
