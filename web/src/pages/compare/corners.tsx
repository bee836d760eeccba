// Corners: the minimum speed and the time lost of each lap. A click zooms to the corner.

import { lapColour } from "../../plots/colours";
import { type Range } from "../../plots/trace";
import { delta, deltaClass, fixed } from "../../words/format";
import { type Comparison, type Corner, extremes } from "./comparison";

export function Verdict({ of, focus, onCorner }: { of: Comparison; focus: number; onCorner: (corner: Corner) => void }) {
  const { lost, gained } = extremes(of.corners, focus);
  if (lost.length + gained.length === 0) return null;
  const list = (found: typeof lost) => found.map(({ corner, lost: ms }) => (
    <button key={corner.n} type="button" class="plain corner-link" onClick={() => onCorner(corner)}>
      T{corner.n} <span class={`num ${deltaClass(ms)}`}>{delta(ms)}</span>
    </button>
  ));
  return (
    <p class="verdict">
      {lost.length > 0 && <><span class="label">Lost</span>{list(lost)}</>}
      {gained.length > 0 && <><span class="label">Gained</span>{list(gained)}</>}
    </p>
  );
}

export function Corners({ of, range, onCorner }: { of: Comparison; range: Range; onCorner: (corner: Corner) => void }) {
  if (of.corners.length === 0) return <p class="soft none">No corners detected on the reference lap.</p>;
  const here = (corner: Corner) => corner.apex_m >= range.from && corner.apex_m <= range.to;
  const zoomed = of.corners.some((corner) => !here(corner));
  return (
    <div class="scroll-x" tabIndex={0} role="region" aria-label="Corners">
      <table class="corners">
        <thead>
          <tr><th rowSpan={2}>Turn</th><th colSpan={of.laps.length}>Min speed, km/h</th>{of.laps.length > 1 && <th colSpan={of.laps.length - 1}>Time lost, s</th>}</tr>
          <tr>
            {of.laps.map((lap, n) => <th key={lap.lap.id} class="num"><Swatch n={n} /></th>)}
            {of.laps.slice(1).map((lap, n) => <th key={lap.lap.id} class="num"><Swatch n={n + 1} /></th>)}
          </tr>
        </thead>
        <tbody>
          {of.corners.map((corner) => (
            <tr key={corner.n} class={zoomed && here(corner) ? "on" : ""}>
              <td><button type="button" class="plain corner-link" onClick={() => onCorner(corner)}>T{corner.n} <span class="soft num">{fixed(corner.apex_m)} m</span></button></td>
              {of.laps.map((lap, n) => <td key={lap.lap.id} class="num">{fixed(corner.min_speed_kmh[n], 0)}</td>)}
              {of.laps.slice(1).map((lap, n) => <td key={lap.lap.id} class={`num ${deltaClass(corner.lost_ms[n + 1])}`}>{delta(corner.lost_ms[n + 1])}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Swatch({ n }: { n: number }) {
  return <span class="swatch-name"><i class="swatch" style={{ background: lapColour(n) }} />{n === 0 ? "ref" : n + 1}</span>;
}
