// Picks laps to compare: the best laps on a track, and a list of its laps by date or time.

import { useState } from "preact/hooks";
import type { Best, Lap } from "../../api/client";
import { useFetch } from "../../api/use";
import { Empty, Shown } from "../../app/problem";
import { lapTime, moment } from "../../words/format";
import { car, driver, track, words } from "../../words/names";
import { useChoices } from "../filters";

interface TrackKey { game: string; track: string; layout: string | null }

export function LapPicker({ first, chosen, onPick }: { first: Lap | null; chosen: readonly string[]; onPick: (id: string) => void }) {
  const choices = useChoices();
  const [picked, setPicked] = useState<string | null>(null);
  const all: TrackKey[] = choices.allTracks.map((one) => ({ game: one.game, track: one.id, layout: one.layout ?? null }));
  const key = (of: TrackKey) => [of.game, of.track, of.layout ?? ""].join("\n");
  const fixed = first?.track ? { game: first.game, track: first.track, layout: first.layout ?? null } : null;
  const current = fixed ?? all.find((one) => key(one) === picked) ?? all[0] ?? null;
  if (choices.ready && !current) return <Empty title="Nothing to compare yet"><p>You need two laps on the same track.</p></Empty>;
  return (
    <div class="picker">
      {!fixed && (
        <label class="pick"><span class="label">Track</span>
          <select value={current ? key(current) : ""} onChange={(event) => setPicked(event.currentTarget.value)}>
            {all.map((one) => <option key={key(one)} value={key(one)}>{track(one)}</option>)}
          </select>
        </label>
      )}
      {current && <Laps key={key(current)} of={current} chosen={chosen} onPick={onPick} />}
    </div>
  );
}

function Laps({ of, chosen, onPick }: { of: TrackKey; chosen: readonly string[]; onPick: (id: string) => void }) {
  const bests = useFetch<{ bests: Best[] }>("/bests", { ...of, limit: 8 });
  const [sort, setSort] = useState("newest");
  const [carId, setCar] = useState("");
  const laps = useFetch<{ laps: Lap[] }>("/laps", { ...of, sort, car: carId, limit: 40 });
  const cars = [...new Set([...(laps.data?.laps ?? []), ...(bests.data?.bests ?? [])].flatMap((one) => one.car ?? []))];
  return (
    <>
      {(bests.data?.bests.length ?? 0) > 0 && (
        <section>
          <h3 class="label">Best laps</h3>
          <ul>{bests.data?.bests.map((best) => (
            <Choice key={best.lap} id={best.lap} chosen={chosen} onPick={onPick} time={best.time_ms} tone="purple" text={`${car(best)} · ${driver(best)}`} when={moment(best.started_utc)} />
          ))}</ul>
        </section>
      )}
      <section>
        <h3 class="label">Laps</h3>
        <p class="picker-filters">
          <select aria-label="Order" value={sort} onChange={(event) => setSort(event.currentTarget.value)}><option value="newest">newest</option><option value="fastest">fastest</option></select>
          <select aria-label="Car" value={carId} onChange={(event) => setCar(event.currentTarget.value)}>
            <option value="">all cars</option>{cars.map((id) => <option key={id} value={id}>{words(id)}</option>)}
          </select>
        </p>
        <Shown of={laps}>{(page) => (
          <ul>{page.laps.filter((lap) => lap.time_ms != null).map((lap) => (
            <Choice key={lap.id} id={lap.id} chosen={chosen} onPick={onPick} time={lap.time_ms} tone={lap.eligible ? "" : "soft"}
              text={`lap ${lap.number ?? "–"} · ${car(lap)} · ${driver(lap)}${lap.valid === false ? " · ✕ invalid" : ""}`} when={moment(lap.started_utc)} />
          ))}</ul>
        )}</Shown>
      </section>
    </>
  );
}

interface ChoiceProps { id: string; chosen: readonly string[]; onPick: (id: string) => void; time: number | null | undefined; tone: string; text: string; when: string }

function Choice({ id, chosen, onPick, time, tone, text, when }: ChoiceProps) {
  return (
    <li><button type="button" disabled={chosen.includes(id)} onClick={() => onPick(id)}>
      <b class={`num ${tone}`}>{lapTime(time)}</b><span>{text}</span><span class="soft">{when}</span>
    </button></li>
  );
}
