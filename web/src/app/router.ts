// Where we are: path and query of the address bar. Links are plain <a href>; a click on one of ours changes the address without a load.

import { useEffect, useMemo, useState } from "preact/hooks";

export interface Place {
  path: string;
  query: URLSearchParams;
}

const MOVED = "gametape-moved";

export function go(to: string, how: "push" | "replace" = "push"): void {
  if (to === location.pathname + location.search) return;
  history[how === "push" ? "pushState" : "replaceState"](null, "", to);
  dispatchEvent(new Event(MOVED));
}

/** Changes some parameters of the address; empty ones go away. */
export function setQuery(changes: Record<string, string | null>, how: "push" | "replace" = "replace"): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = readable(query);
  go(location.pathname + (text ? `?${text}` : ""), how);
}

/** Commas and colons may stand in a query as they are: a link that people pass on should be readable. */
export function readable(query: URLSearchParams): string {
  return query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%2F", "/");
}

export function usePlace(): Place {
  const [at, setAt] = useState(() => location.pathname + location.search);
  useEffect(() => {
    const moved = () => setAt(location.pathname + location.search);
    addEventListener("popstate", moved);
    addEventListener(MOVED, moved);
    return () => {
      removeEventListener("popstate", moved);
      removeEventListener(MOVED, moved);
    };
  }, []);
  return useMemo(() => {
    const [path = "/", query = ""] = at.split("?");
    return { path, query: new URLSearchParams(query) };
  }, [at]);
}

/** Takes clicks on links of this server; others, and those for new tabs, are the browser's. */
export function takeLinks(): void {
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.("a[href]") as HTMLAnchorElement | null;
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    if (link.pathname.startsWith("/api/") || link.pathname === "/openapi.json") return;
    event.preventDefault();
    go(link.pathname + link.search);
    scrollTo(0, 0);
  });
}
