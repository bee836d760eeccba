// What the server plays: asked for again and again while a page looks, and moved on by the clock in between.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError, type Schemas, ask, change } from "../../api/client";
import { toast } from "../../app/toasts";
import type { Moment } from "../../plots/band";

export type Playback = Schemas["PlaybackAnswer"];
const LOOK_MS = 400;
const IDLE_MS = 2000;

export const plays = (of: Playback | null): boolean => of?.state === "playing" || of?.state === "paused";

export function usePlayback(tape: string, playhead: Moment) {
  const [now, setNow] = useState<Playback | null>(null);
  const [busy, setBusy] = useState(false);
  const latest = useRef<{ at: number; of: Playback | null }>({ at: 0, of: null });
  const take = useCallback((of: Playback) => {
    latest.current = { at: performance.now(), of };
    setNow(of);
  }, []);
  useEffect(() => {
    let timer = 0;
    let ended = false;
    const look = async () => {
      if (!document.hidden) await ask<Playback>("/playback").then((of) => { if (!ended) take(of); }, () => undefined);
      if (!ended) timer = window.setTimeout(look, plays(latest.current.of) ? LOOK_MS : IDLE_MS);
    };
    void look();
    return () => { ended = true; clearTimeout(timer); };
  }, [take]);
  useEffect(() => {
    let turn = 0;
    const draw = () => {
      const { at, of } = latest.current;
      const here = plays(of) && of?.tape === tape && of.position_ns != null ? of : null;
      const on = here?.state === "playing" ? ((performance.now() - at) / 1000) * (here.speed ?? 1) : 0;
      const end = (here?.to_ns ?? 0) / 1e9;
      playhead.set(here ? Math.min((here.position_ns as number) / 1e9 + on, end) : null);
      turn = requestAnimationFrame(draw);
    };
    draw();
    return () => { cancelAnimationFrame(turn); playhead.set(null); };
  }, [tape, playhead]);
  const does = async (work: Promise<Playback>) => {
    setBusy(true);
    await work.then(take, (error: unknown) => toast({ text: error instanceof ApiError ? error.message : String(error), bad: true }));
    setBusy(false);
  };
  return {
    now, busy,
    start: (wish: Schemas["PlayWish"]) => does(change<Playback>("POST", `/tapes/${tape}/play`, wish)),
    set: (edit: Schemas["PlaybackChange"]) => does(change<Playback>("PATCH", "/playback", edit)),
    end: () => does(change<Playback>("DELETE", "/playback")),
  };
}
