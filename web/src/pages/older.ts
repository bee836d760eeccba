// The pages of a list after the first, loaded on request.

import { useEffect, useRef, useState } from "preact/hooks";
import { type Params, fetchJson } from "../api/client";
import { toast } from "../app/toasts";

interface Older<T> { entries: T[]; next: string | null; loading: boolean }

/** Loads the pages after the first, whose entries are in `field`. Discards them when the parameters change. */
export function useOlder<T>(path: string, field: string, params: Params, firstNext: string | null): Older<T> & { load: () => void } {
  const [state, setState] = useState<Older<T>>({ entries: [], next: null, loading: false });
  const key = JSON.stringify(params);
  useEffect(() => setState({ entries: [], next: firstNext, loading: false }), [key, firstNext]);
  const latest = useRef(key);
  latest.current = key;
  const load = () => {
    setState((old) => ({ ...old, loading: true }));
    // A page that arrives after the parameters have changed belongs to another list.
    const change = (by: (old: Older<T>) => Older<T>) => { if (latest.current === key) setState(by); };
    fetchJson<Record<string, unknown>>(path, { ...params, cursor: state.next }).then(
      (page) => change((old) => ({ entries: [...old.entries, ...((page[field] as T[] | undefined) ?? [])], next: (page.next as string | null | undefined) ?? null, loading: false })),
      (error: Error) => { toast({ text: error.message, bad: true }); change((old) => ({ ...old, loading: false })); },
    );
  };
  return { ...state, load };
}
