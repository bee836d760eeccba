// The dark or light theme: the system's preference, unless the user chose the other one in this browser.

const KEY = "gametape-theme";
export type Theme = "dark" | "light";

const system = matchMedia("(prefers-color-scheme: light)");
const listeners = new Set<() => void>();

/** The user's choice. Pages opened from disk may have no `localStorage`; the choice then lasts until the page is closed. */
const remembered = {
  now: null as string | null,
  get(): string | null {
    try { return localStorage.getItem(KEY); } catch { return this.now; }
  },
  set(value: Theme | null) {
    this.now = value;
    try { if (value) localStorage.setItem(KEY, value); else localStorage.removeItem(KEY); } catch { /* see above */ }
  },
};

export function theme(): Theme {
  const chosen = remembered.get();
  if (chosen === "dark" || chosen === "light") return chosen;
  return system.matches ? "light" : "dark";
}

function apply() {
  document.documentElement.dataset.theme = theme();
  for (const listener of listeners) listener();
}

export function switchTheme(): void {
  const next: Theme = theme() === "dark" ? "light" : "dark";
  // Choosing the system's theme clears the override, so that the page follows the system again.
  remembered.set((next === "light") === system.matches ? null : next);
  apply();
}

/** Registers a listener for theme changes. Needed by plots: canvases are drawn, not styled by CSS. Returns a function that unregisters it. */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

system.addEventListener("change", apply);
apply();
