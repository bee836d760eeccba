// Fuel and tyres.

import { fixed } from "../../words/format";
import { Figure, useFact } from "./figures";

export function Fuel() {
  return (
    <section class="panel fuel" aria-label="Fuel">
      <span class="label">Fuel</span>
      <p class="big"><Figure of={(f) => fixed(f.car.fuel_l, 1)} /> <span class="unit">L</span></p>
      <dl>
        <div><dt>laps left</dt><dd><Figure of={(f) => fixed(f.car.fuel_laps_left, 1)} /></dd></div>
        <div><dt>per lap</dt><dd><Figure of={(f) => fixed(f.car.fuel_per_lap_l, 2, "L")} /></dd></div>
      </dl>
    </section>
  );
}

const WHEELS = ["Front left", "Front right", "Rear left", "Rear right"];

export function Tyres() {
  const tyres = useFact((f) => (f?.car.tyres ?? []).map((tyre) => ({
    core: fixed(tyre?.core_c, 0), psi: fixed(tyre?.pressure_psi, 1), wear: tyre?.wear ?? null, heat: heat(tyre?.core_c),
  })));
  return (
    <section class="panel tyres" aria-label="Tyres">
      <span class="label">Tyres</span>
      <ul>
        {WHEELS.map((name, n) => (
          <li key={name} data-heat={tyres[n]?.heat ?? "none"}>
            <span class="hidden">{name}: </span>
            <span class="num core">{tyres[n]?.core ?? "–"}<small> °C</small></span>
            <span class="num">{tyres[n]?.psi ?? "–"}<small> psi</small></span>
            {tyres[n]?.heat && tyres[n]?.heat !== "good" && <em>{tyres[n]?.heat}</em>}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** A rough classification: the right temperature depends on the tyre. */
function heat(core: number | null | undefined): "cold" | "good" | "hot" | null {
  if (typeof core !== "number") return null;
  return core < 60 ? "cold" : core > 105 ? "hot" : "good";
}
