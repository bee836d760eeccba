// Dark or light: what the system says, unless this browser was told otherwise.

const KEY = "gametape-theme";
export type Theme = "dark" | "light";

const system = matchMedia("(prefers-color-scheme: light)");
const listeners = new Set<() => void>();

export function theme(): Theme {
  const chosen = localStorage.getItem(KEY);
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
  if ((next === "light") === system.matches) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, next);
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
