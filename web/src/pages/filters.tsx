// Filters stored in the URL, with choices loaded from the server.

import { useEffect, useState } from "preact/hooks";
import { useRoute, setQuery } from "../app/router";
import type { Driven, Driver } from "../api/client";
import { useFetch } from "../api/use";
import { game as gameName, words } from "../words/names";

export interface Choice { value: string; text: string }

export function useChoices() {
  const tracks = useFetch<{ tracks: Driven[] }>("/tracks", { limit: 500 });
  const cars = useFetch<{ cars: Driven[] }>("/cars", { limit: 500 });
  const drivers = useFetch<{ drivers: Driver[] }>("/drivers", { limit: 500 });
  const driven = (list: readonly Driven[]): Choice[] => distinct(list.map((one) => ({ value: one.id, text: one.name ?? words(one.id) })));
  return {
    games: distinct([...(tracks.data?.tracks ?? []), ...(cars.data?.cars ?? [])].map((one) => ({ value: one.game, text: gameName(one.game) }))),
    tracks: driven(tracks.data?.tracks ?? []),
    cars: driven(cars.data?.cars ?? []),
    drivers: (drivers.data?.drivers ?? []).map((one) => ({ value: one.driver, text: one.name ?? one.driver })),
    allTracks: tracks.data?.tracks ?? [],
    allCars: cars.data?.cars ?? [],
    ready: tracks.data !== null && cars.data !== null,
  };
}

function distinct(choices: readonly Choice[]): Choice[] {
  const byValue = new Map(choices.map((choice) => [choice.value, choice]));
  return [...byValue.values()].sort((a, b) => a.text.localeCompare(b.text));
}

export function Pick({ name, label, choices, any = "all" }: { name: string; label: string; choices: readonly Choice[]; any?: string | null }) {
  const { query } = useRoute();
  const value = query.get(name) ?? "";
  return (
    <label class="pick">
      <span class="label">{label}</span>
      <select value={value} onChange={(event) => setQuery({ [name]: event.currentTarget.value, cursor: null }, "push")}>
        {any !== null && <option value="">{any}</option>}
        {value && !choices.some((choice) => choice.value === value) && <option value={value}>{words(value)}</option>}
        {choices.map((choice) => <option key={choice.value} value={choice.value}>{choice.text}</option>)}
      </select>
    </label>
  );
}

export function DatePick({ name, label }: { name: string; label: string }) {
  const { query } = useRoute();
  return (
    <label class="pick">
      <span class="label">{label}</span>
      <input type="date" value={query.get(name) ?? ""} onChange={(event) => setQuery({ [name]: event.currentTarget.value }, "push")} />
    </label>
  );
}

/** A text filter. The URL follows every keystroke; requests should use `useDebounced`. */
export function TextPick({ name, label }: { name: string; label: string }) {
  const { query } = useRoute();
  return (
    <label class="pick">
      <span class="label">{label}</span>
      <input type="text" autocomplete="off" spellcheck={false} maxLength={200} value={query.get(name) ?? ""} onInput={(event) => setQuery({ [name]: event.currentTarget.value })} />
    </label>
  );
}

/** Debounces text: returns it after `ms` without a change, so that not every keystroke sends a request. */
export function useDebounced(text: string, ms = 250): string {
  const [late, setLate] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setLate(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return late;
}

/** Converts a day in the user's time zone to a UTC timestamp: its start or, with `end`, the start of the next day. */
export function dayToUtc(day: string | null, end = false): string | null {
  if (!day || !/^\d{4}-\d\d-\d\d$/.test(day)) return null;
  const [y, m, d] = day.split("-").map(Number) as [number, number, number];
  return new Date(y, m - 1, d + (end ? 1 : 0)).toISOString().replace(/\.\d+Z$/, "Z");
}

export const TYPES: Choice[] = ["practice", "qualifying", "superpole", "race", "hotlap", "hotstint", "time_trial", "drift", "drag", "test", "unknown"]
  .map((value) => ({ value, text: value.replace("_", " ") }));
