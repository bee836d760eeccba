// A router over the History API: path and query of the current URL. Links are plain `<a href>`; same-origin clicks navigate without a page load.

import { useEffect, useMemo, useState } from "preact/hooks";

export interface Route {
  path: string;
  query: URLSearchParams;
}

const MOVED = "gametape-moved";

export function go(to: string, how: "push" | "replace" = "push"): void {
  if (to === location.pathname + location.search) return;
  history[how === "push" ? "pushState" : "replaceState"](null, "", to);
  dispatchEvent(new Event(MOVED));
}

/** Changes query parameters of the URL. Empty and null values remove a parameter. */
export function setQuery(changes: Record<string, string | null>, how: "push" | "replace" = "replace"): void {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") query.delete(name);
    else query.set(name, value);
  }
  const text = readable(query);
  go(location.pathname + (text ? `?${text}` : ""), how);
}

/** Serializes a query with `,`, `:` and `/` unescaped, which is allowed and keeps shared links readable. */
export function readable(query: URLSearchParams): string {
  return query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("%2F", "/");
}

export function useRoute(): Route {
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

/** Intercepts clicks on same-origin links. Other links, new tabs, downloads and API paths are left to the browser. */
export function interceptLinks(): void {
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
