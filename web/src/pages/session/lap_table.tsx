// The table of a session's laps, with actions for each lap.

import type { Lap } from "../../api/client";
import { delta, deltaClass, fixed, lapTime, sectorTime } from "../../words/format";
import { word } from "../../words/names";
import { Badges, Star, timeTone } from "../lap_words";
import { editLap } from "./edits";

interface Props {
  laps: readonly Lap[];
  bestId: string | null;
  bestMs: number | null;
  bestSectors: readonly (number | null)[];
  selected: readonly string[];
  onToggle: (id: string) => void;
  onEdit: (lap: Lap) => void;
  done: () => void;
}

export function LapTable({ laps, bestId, bestMs, bestSectors, selected, onToggle, onEdit, done }: Props) {
  const sectors = Math.max(0, ...laps.map((lap) => lap.sectors_ms.length));
  const any = (of: (lap: Lap) => unknown) => laps.some((lap) => of(lap) != null);
  const [fuel, speed, ground] = [any((lap) => lap.fuel_used_l), any((lap) => lap.top_speed_kmh), any((lap) => lap.conditions.track_celsius)];
  return (
    <div class="panel scroll-x" tabIndex={0} role="region" aria-label="Laps">
      <table class="laps">
        <thead>
          <tr>
            <th><span class="hidden">Compare</span></th><th class="num">Lap</th><th class="num">Time</th><th class="num">Delta</th>
            {Array.from({ length: sectors }, (_, n) => <th key={n} class="num">S{n + 1}</th>)}
            {fuel && <th class="num">Fuel</th>}{speed && <th class="num">Top speed</th>}{ground && <th class="num">Track</th>}
            <th>Details</th><th><span class="hidden">Actions</span></th>
          </tr>
        </thead>
        <tbody>
          {laps.map((lap) => {
            const best = lap.id === bestId;
            const off = lap.time_ms != null && bestMs !== null ? lap.time_ms - bestMs : null;
            const dull = !lap.eligible || lap.excluded;
            return (
              <tr key={lap.id} data-lap={lap.id} class={selected.includes(lap.id) ? "on" : ""}
                onKeyDown={(event) => { if (event.key === "x" && !(event.target instanceof HTMLInputElement && event.target.type === "text")) { event.preventDefault(); onToggle(lap.id); } }}>
                <td><input type="checkbox" aria-label={`Compare lap ${lap.number ?? lap.tape_lap}`} checked={selected.includes(lap.id)} disabled={lap.time_ms == null} onChange={() => onToggle(lap.id)} /></td>
                <td class="num">{lap.number ?? "–"}</td>
                <td class={`num time ${timeTone(lap, best)}`}>{lapTime(lap.time_ms)}</td>
                <td class={`num ${best ? "purple" : dull ? "soft" : deltaClass(off)}`}>{best ? "best" : delta(off)}</td>
                {Array.from({ length: sectors }, (_, n) => {
                  const time = lap.sectors_ms[n] ?? null;
                  const top = !dull && time !== null && time === bestSectors[n];
                  return <td key={n} class={`num ${top ? "purple" : dull ? "soft" : ""}`}>{top && <Star />}{sectorTime(time)}</td>;
                })}
                {fuel && <td class="num soft">{fixed(lap.fuel_used_l, 2, "L")}</td>}
                {speed && <td class="num soft">{fixed(lap.top_speed_kmh, 0, "km/h")}</td>}
                {ground && <td class="num soft">{fixed(lap.conditions.track_celsius, 0, "°C")}</td>}
                <td class="about">
                  <Badges lap={lap} />
                  {lap.name && <b>{lap.name}</b>}
                  {lap.tags.map((tag) => <span key={tag} class="chip tag">{tag}</span>)}
                  {lap.note && <span class="soft note" title={lap.note}>{lap.note}</span>}
                  {lap.reasons.length > 0 && <span class="soft reasons">{[...new Set(lap.reasons)].map(word).join(", ")}</span>}
                </td>
                <td class="acts">
                  <button type="button" class="plain" onClick={() => onEdit(lap)} aria-label={`Edit lap ${lap.number ?? lap.tape_lap}`}>Edit</button>
                  <button type="button" class="plain" aria-label={`${lap.excluded ? "Include" : "Exclude"} lap ${lap.number ?? lap.tape_lap}`}
                    onClick={() => void editLap(lap, { excluded: !lap.excluded }, lap.excluded ? "Lap included" : "Lap excluded", done)}>
                    {lap.excluded ? "Include" : "Exclude"}
                  </button>
                  <button type="button" class="plain" aria-label={`Delete lap ${lap.number ?? lap.tape_lap}`} onClick={() => void editLap(lap, { deleted: true }, `Lap ${lap.number ?? "–"} deleted`, done)}>Delete</button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
