// Dark or light: what the system says, unless this browser was told otherwise.

const KEY = "gametape-theme";
export type Theme = "dark" | "light";

const system = matchMedia("(prefers-color-scheme: light)");
const listeners = new Set<() => void>();

/** A page that was opened from disk may have no storage: then it remembers for as long as it is open. */
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
  // Back to what the system says: then it is followed again.
  remembered.set((next === "light") === system.matches ? null : next);
  apply();
}

/** Plots are drawn, not styled: they must hear of it. */
export function onTheme(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

system.addEventListener("change", apply);
apply();
