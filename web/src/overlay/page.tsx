// Overlays for streaming software such as OBS: transparent, sized by the URL, without navigation.
// /overlay/delta, /overlay/inputs and /overlay/laps take ?w=600&h=90 and parameters of their own.

import { useEffect } from "preact/hooks";
import { useRoute } from "../app/router";
import { useCar } from "../live/frame";
import { DeltaBar } from "../pages/live/drive";
import { useDrawn, useFact } from "../pages/live/figures";
import { Pedals, Steering, makeTrace } from "../pages/live/inputs";
import { useRunningSession } from "../pages/live/laps";
import { delta, deltaClass, lapTime } from "../words/format";
import { timeTone } from "../pages/lap_words";
import "./overlay.css";

export function OverlayPage() {
  const { path, query } = useRoute();
  useCar();
  useEffect(() => { document.documentElement.dataset.overlay = "yes"; }, []);
  const kind = path.split("/")[2] ?? "";
  const known = useFact((f) => f !== null);
  const sizes: Record<string, [number, number]> = { delta: [640, 76], inputs: [560, 130], laps: [330, 300] };
  const standard = sizes[kind];
  if (!standard) {
    return <p class="overlay-none">Available overlays: <a href="/overlay/delta">delta</a>, <a href="/overlay/inputs">inputs</a>, <a href="/overlay/laps">laps</a>. Set the size with ?w=600&amp;h=90.</p>;
  }
  const number = (name: string, otherwise: number) => { const value = Number(query.get(name)); return Number.isFinite(value) && value > 0 ? Math.min(value, 4000) : otherwise; };
  const [width, height] = [number("w", standard[0]), number("h", standard[1])];
  return (
    <main class={`overlay overlay-${kind}`} data-connecting={known ? undefined : "yes"} style={{ width: `${width}px`, height: `${height}px`, fontSize: `${(height / standard[1]) * 15}px` }}>
      <h1 class="hidden">gametape overlay: {kind}</h1>
      {kind === "delta" && <DeltaOverlay reference={query.get("ref") === "session" ? "session" : "best"} />}
      {kind === "inputs" && <InputsOverlay seconds={number("seconds", 6)} />}
      {kind === "laps" && <LapsOverlay most={number("n", 8)} />}
    </main>
  );
}

function DeltaOverlay({ reference }: { reference: "best" | "session" }) {
  return reference === "session"
    ? <DeltaBar name="session best" of={(f) => f.car.delta_session_ms} reference={(f) => f.car.best_ms} />
    : <DeltaBar name="best" of={(f) => f.car.delta_best_ms} reference={(f) => f.car.best_ever_ms} />;
}

const traces = new Map<number, ReturnType<typeof makeTrace>>();

function InputsOverlay({ seconds }: { seconds: number }) {
  const draw = traces.get(seconds) ?? makeTrace(seconds, true);
  traces.set(seconds, draw);
  const canvas = useDrawn<HTMLCanvasElement>(draw);
  return <><div class="trace-box"><canvas ref={canvas} class="trace" role="img" aria-label="Pedals over the last seconds" /></div><Pedals /><Steering /></>;
}

function LapsOverlay({ most }: { most: number }) {
  const running = useRunningSession();
  const now = useFact((f) => f?.car.lap?.number ?? null);
  const done = running.laps.filter((lap) => lap.state !== "running" && lap.time_ms != null).slice(-Math.round(most)).reverse();
  return (
    <table>
      <caption class="hidden">Laps</caption>
      <thead class="hidden"><tr><th>Lap</th><th>Time</th><th>Delta</th></tr></thead>
      <tbody>
        {now !== null && <tr class="now"><td class="num">{now}</td><td class="num soft" colSpan={2}>running</td></tr>}
        {done.map((lap) => {
          const best = lap.time_ms === running.bestMs && lap.eligible && !lap.excluded;
          const off = lap.time_ms != null && running.bestMs !== null ? lap.time_ms - running.bestMs : null;
          return <tr key={lap.id}><td class="num">{lap.number ?? "–"}</td><td class={`num ${timeTone(lap, best)}`}>{lap.valid === false ? "✕ " : ""}{lapTime(lap.time_ms)}</td><td class={`num ${best ? "purple" : deltaClass(off)}`}>{best ? "best" : delta(off, 2)}</td></tr>;
        })}
      </tbody>
    </table>
  );
}
