// Tyre use in a session: temperature, pressure and wear on the first and last complete lap of each stint.
// Loaded from the tape when the section is opened.

import { useState } from "preact/hooks";
import { type Lap, type Schemas, type Stint, fetchJson } from "../../api/client";
import { useLoad } from "../../api/use";
import { Problem } from "../../app/problem";
import { mean } from "../../numbers/stats";
import { fixed } from "../../words/format";
import { word } from "../../words/names";

const WHEELS = ["FL", "FR", "RL", "RR"];
const NAMES = ["tyre_core_c", "tyre_psi", "tyre_wear"] as const;
type Name = (typeof NAMES)[number];
/** The most stints to load. Each costs reading two laps from the tape. */
const MOST = 6;

interface Use { stint: number; lap: Lap; values: Record<Name, (number | null)[]> }

async function read(lap: Lap, stint: number, signal: AbortSignal): Promise<Use> {
  const channels = NAMES.flatMap((name) => WHEELS.map((_, n) => `${name}.${n}`)).join(",");
  const answer = await fetchJson<Schemas["ChannelsAnswer"]>(`/laps/${lap.id}/channels`, { channels, hz: 2 }, { signal });
  const of = (name: Name) => WHEELS.map((_, n) => {
    const values = (answer.columns.find((column) => column.name === `${name}.${n}`)?.values ?? []).filter((value): value is number => value !== null);
    // Wear accumulates: take the value at the end of the lap.
    return name === "tyre_wear" ? values[values.length - 1] ?? null : mean(values);
  });
  return { stint, lap, values: { tyre_core_c: of("tyre_core_c"), tyre_psi: of("tyre_psi"), tyre_wear: of("tyre_wear") } };
}

export function wanted(stints: readonly Stint[], laps: readonly Lap[]): { stint: number; lap: Lap }[] {
  return stints.slice(-MOST).flatMap((stint) => {
    const whole = laps.filter((lap) => lap.stint === stint.n && lap.complete && lap.end_ns != null);
    const [first, last] = [whole[0], whole[whole.length - 1]];
    return [...new Set([first, last])].flatMap((lap) => (lap ? [{ stint: stint.n, lap }] : []));
  });
}

export function Tyres({ stints, laps }: { stints: readonly Stint[]; laps: readonly Lap[] }) {
  const [open, setOpen] = useState(false);
  const list = wanted(stints, laps);
  if (list.length === 0) return null;
  return (
    <section>
      <details class="tyre-use" onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
        <summary><h2>Tyres</h2></summary>
        {open && <Table list={list} />}
      </details>
    </section>
  );
}

function Table({ list }: { list: { stint: number; lap: Lap }[] }) {
  const answer = useLoad<Use[]>((signal) => Promise.all(list.map((one) => read(one.lap, one.stint, signal))), list.map((one) => one.lap.id).join());
  if (answer.error) return <Problem error={answer.error} retry={answer.reload} />;
  if (!answer.data) return <p class="loading" role="status">Reading the tape…</p>;
  const known = (name: Name) => (answer.data ?? []).some((use) => use.values[name].some((value) => value !== null));
  const worn = known("tyre_wear");
  if (!worn && !known("tyre_core_c") && !known("tyre_psi")) return <p class="panel note-panel soft">The game reports no tyre data.</p>;
  const four = (values: (number | null)[], digits: number) => <td class="num four">{values.map((value, n) => <span key={n}>{fixed(value, digits)}</span>)}</td>;
  return (
    <div class="panel scroll-x" tabIndex={0} role="region" aria-label="Tyres"><table>
      <thead><tr><th>Stint</th><th>Lap</th><th class="num">Core °C, {WHEELS.join(" ")}</th><th class="num">Pressure psi, {WHEELS.join(" ")}</th>{worn && <th class="num">Wear %, {WHEELS.join(" ")}</th>}<th>Tyre</th></tr></thead>
      <tbody>{answer.data.map((use) => (
        <tr key={use.lap.id}><td class="num">{use.stint}</td><td class="num">{use.lap.number ?? use.lap.tape_lap}</td>
          {four(use.values.tyre_core_c, 0)}{four(use.values.tyre_psi, 1)}{worn && four(use.values.tyre_wear.map((value) => (value === null ? null : value * 100)), 1)}
          <td class="soft">{use.lap.conditions.tyre ? word(use.lap.conditions.tyre) : "–"}</td></tr>
      ))}</tbody>
    </table></div>
  );
}
