// The server's playback state: polled while the page is visible, and extrapolated in between.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError, type Schemas, fetchJson, sendJson } from "../../api/client";
import { toast } from "../../app/toasts";
import type { SharedTime } from "../../plots/band";

export type Playback = Schemas["PlaybackAnswer"];
const POLL_MS = 400;
const IDLE_POLL_MS = 2000;

export const plays = (of: Playback | null): boolean => of?.state === "playing" || of?.state === "paused";

export function usePlayback(tape: string, playhead: SharedTime) {
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
    const poll = async () => {
      if (!document.hidden) await fetchJson<Playback>("/playback").then((of) => { if (!ended) take(of); }, () => undefined);
      if (!ended) timer = window.setTimeout(poll, plays(latest.current.of) ? POLL_MS : IDLE_POLL_MS);
    };
    void poll();
    return () => { ended = true; clearTimeout(timer); };
  }, [take]);
  useEffect(() => {
    let frame = 0;
    const draw = () => {
      const { at, of } = latest.current;
      const here = plays(of) && of?.tape === tape && of.position_ns != null ? of : null;
      const on = here?.state === "playing" ? ((performance.now() - at) / 1000) * (here.speed ?? 1) : 0;
      const end = (here?.to_ns ?? 0) / 1e9;
      playhead.set(here ? Math.min((here.position_ns as number) / 1e9 + on, end) : null);
      frame = requestAnimationFrame(draw);
    };
    draw();
    return () => { cancelAnimationFrame(frame); playhead.set(null); };
  }, [tape, playhead]);
  const run = async (work: Promise<Playback>) => {
    setBusy(true);
    await work.then(take, (error: unknown) => toast({ text: error instanceof ApiError ? error.message : String(error), bad: true }));
    setBusy(false);
  };
  return {
    now, busy,
    start: (wish: Schemas["PlayWish"]) => run(sendJson<Playback>("POST", `/tapes/${tape}/play`, wish)),
    set: (edit: Schemas["PlaybackChange"]) => run(sendJson<Playback>("PATCH", "/playback", edit)),
    end: () => run(sendJson<Playback>("DELETE", "/playback")),
  };
}
