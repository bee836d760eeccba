// What a page shows of the server: loading, an answer, or an error; asked again when told to, with the old answer kept meanwhile.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError, type Params, ask } from "./client";

export interface Answer<T> {
  data: T | null;
  error: ApiError | null;
  loading: boolean;
  reload: () => void;
}

export function useAsk<T>(path: string | null, params: Params = {}): Answer<T> {
  return useLoad<T>(path === null ? null : (signal) => ask<T>(path, params, { signal }), path + JSON.stringify(params));
}

/** Loads whenever `key` changes. */
export function useLoad<T>(load: ((signal: AbortSignal) => Promise<T>) | null, key: string): Answer<T> {
  const [state, setState] = useState<{ key: string; data: T | null; error: ApiError | null; loading: boolean }>({
    key, data: null, error: null, loading: load !== null,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;
  useEffect(() => {
    const run = latest.current;
    if (!run) return undefined;
    const stop = new AbortController();
    setState((old) => ({ ...old, key, loading: true }));
    run(stop.signal).then(
      (data) => !stop.signal.aborted && setState({ key, data, error: null, loading: false }),
      (error: unknown) => {
        if (stop.signal.aborted) return;
        const told = error instanceof ApiError ? error : new ApiError(0, "unknown", String(error));
        setState((old) => ({ key, data: old.data, error: told, loading: false }));
      },
    );
    return () => stop.abort();
  }, [key, turn]);
  const reload = useCallback(() => setTurn((n) => n + 1), []);
  return { data: state.data, error: state.error, loading: state.loading, reload };
}
