// The centre of the live view: rev bar, gear, speed, deltas.

import { delta, deltaClass, fixed, gear, lapTime } from "../../words/format";
import type { Frame } from "../../live/frame";
import { Figure, useDrawn } from "./figures";

const SEGMENTS = 40;
/** The fraction of the maximum rpm at which to shift up. */
const SHIFT = 0.93;

export function Revs() {
  const bar = useDrawn<HTMLDivElement>((element, frame) => {
    const share = frame?.rpm != null && frame.car.rpm_max ? Math.min(1, frame.rpm / frame.car.rpm_max) : 0;
    const lit = Math.round(share * SEGMENTS);
    if (element.dataset.lit === String(lit)) return;
    element.dataset.lit = String(lit);
    element.dataset.shift = share >= SHIFT ? "yes" : "no";
    for (let n = 0; n < SEGMENTS; n += 1) (element.children[n] as HTMLElement).toggleAttribute("data-on", n < lit);
  });
  const kind = (n: number) => (n >= SEGMENTS * SHIFT ? "redline" : n >= SEGMENTS * 0.8 ? "high" : "low");
  return (
    <section class="revs" aria-label="Engine speed">
      <div class="rev-bar" ref={bar} aria-hidden="true">
        {Array.from({ length: SEGMENTS }, (_, n) => <i key={n} class={kind(n)} />)}
      </div>
      <p><Figure of={(f) => fixed(f.rpm)} label="rpm" /> <span class="label">rpm</span></p>
    </section>
  );
}

export function GearAndSpeed() {
  return (
    <section class="panel drive" aria-label="Gear and speed">
      <Figure class="gear" of={(f) => gear(f.car.gear)} label="gear" />
      <div class="speed">
        <Figure class="huge" of={(f) => fixed(f.speed)} label="speed" />
        <span class="label">km/h</span>
      </div>
    </section>
  );
}

/** The delta at which the bar is full, on either side. */
const FULL_MS = 2000;

export function DeltaBar({ name, of, reference }: {
  name: string; of: (frame: Frame) => number | null | undefined; reference?: (frame: Frame) => number | null | undefined;
}) {
  const fill = useDrawn<HTMLElement>((element, frame) => {
    const value = frame ? of(frame) : null;
    const share = Math.max(-1, Math.min(1, (value ?? 0) / FULL_MS));
    element.style.transform = `scaleX(${share.toFixed(4)})`;
    const sign = value == null ? "none" : value > 0 ? "slower" : "faster";
    if (element.dataset.sign !== sign) element.dataset.sign = sign;
  });
  return (
    <div class="delta">
      <p class="delta-name"><span class="label">{name}</span>{reference && <Figure class="soft" of={(f) => lapTime(reference(f))} />}</p>
      <div class="delta-bar" aria-hidden="true"><i ref={fill} /><b /></div>
      <Figure class="delta-figure" of={(f) => delta(of(f), 2)} tone={(f) => deltaClass(of(f), 2)} label={`delta ${name}`} />
    </div>
  );
}

export function Deltas() {
  return (
    <section class="panel deltas" aria-label="Delta">
      <DeltaBar name="to best" of={(f) => f.car.delta_best_ms} reference={(f) => f.car.best_ever_ms} />
      <DeltaBar name="to session best" of={(f) => f.car.delta_session_ms} reference={(f) => f.car.best_ms} />
    </section>
  );
}
