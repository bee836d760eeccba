// Hooks for data from the server: loading, data or error. While a reload is pending, the previous data stays.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ApiError, type Params, fetchJson } from "./client";

export interface Fetched<T> {
  data: T | null;
  error: ApiError | null;
  loading: boolean;
  reload: () => void;
}

export function useFetch<T>(path: string | null, params: Params = {}): Fetched<T> {
  return useLoad<T>(path === null ? null : (signal) => fetchJson<T>(path, params, { signal }), path + JSON.stringify(params));
}

/** Calls `load` whenever `key` changes, and on `reload`. A pending load is aborted. */
export function useLoad<T>(load: ((signal: AbortSignal) => Promise<T>) | null, key: string): Fetched<T> {
  const [state, setState] = useState<{ key: string; data: T | null; error: ApiError | null; loading: boolean }>({
    key, data: null, error: null, loading: load !== null,
  });
  const [version, setVersion] = useState(0);
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
        const failure = error instanceof ApiError ? error : new ApiError(0, "unknown", String(error));
        setState((old) => ({ key, data: old.data, error: failure, loading: false }));
      },
    );
    return () => stop.abort();
  }, [key, version]);
  const reload = useCallback(() => setVersion((n) => n + 1), []);
  return { data: state.data, error: state.error, loading: state.loading, reload };
}
