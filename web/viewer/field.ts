// A match from above: where players and ball are at each moment. Takes rows of channels or responses of the game, gives positions on a time grid of
// ten a second. Pure.

export interface Thing {
  name: string;
  kind: "ball" | "player";
  /** Number of the team, or null if unknown. */
  team: number | null;
  /** Metres along and across the field at each moment; NaN while it is not there. */
  along: Float32Array;
  across: Float32Array;
}

export interface Field { from_s: number; step_s: number; count: number; things: Thing[] }

export const STEP_S = 0.1;
/** Ten hours. */
export const MOST_STEPS = 360_000;
export const MOST_THINGS = 40;

export const stepsOf = (from_s: number, to_s: number): number => Math.max(1, Math.min(MOST_STEPS, Math.floor((to_s - from_s) / STEP_S) + 1));

/** Returns the value at each step: the last one at or before it, NaN before the first. */
export function held(times_s: Float64Array, values: Float64Array, from_s: number, count: number, scale: number): Float32Array {
  const found = new Float32Array(count).fill(Number.NaN);
  let n = -1;
  for (let step = 0; step < count; step += 1) {
    const at = from_s + step * STEP_S;
    while (n + 1 < times_s.length && (times_s[n + 1] as number) <= at + 1e-9) n += 1;
    if (n >= 0) found[step] = (values[n] as number) * scale;
  }
  return found;
}

/** Returns where a thing is at a time: between two steps on the line from one to the next, unless it jumps. */
export function placeAt(field: Field, thing: Thing, seconds: number): [number, number] | null {
  const position = Math.max(0, Math.min(field.count - 1, (seconds - field.from_s) / field.step_s));
  const n = Math.floor(position);
  const [x, y] = [thing.along[n] as number, thing.across[n] as number];
  if (Number.isNaN(x) || Number.isNaN(y)) return null;
  const [nx, ny] = [thing.along[n + 1] ?? Number.NaN, thing.across[n + 1] ?? Number.NaN];
  // Faster than 100 m/s: it was put there.
  if (Number.isNaN(nx) || Number.isNaN(ny) || Math.hypot(nx - x, ny - y) > 100 * field.step_s) return [x, y];
  const t = position - n;
  return [x + (nx - x) * t, y + (ny - y) * t];
}

/** Returns the extent of everything on the field. */
export function extentOf(field: Field): { along: [number, number]; across: [number, number] } | null {
  const range = (all: Float32Array[]): [number, number] => {
    let [low, high] = [Infinity, -Infinity];
    for (const values of all) for (const value of values) if (!Number.isNaN(value)) { if (value < low) low = value; if (value > high) high = value; }
    return [low, high];
  };
  const [along, across] = [range(field.things.map((one) => one.along)), range(field.things.map((one) => one.across))];
  return along[1] >= along[0] && across[1] >= across[0] ? { along, across } : null;
}

/** Collects things by name while responses of a game are read in the order of time. */
export class Gathered {
  private readonly things = new Map<string, Thing>();
  constructor(private readonly from_s: number, private readonly count: number) {}

  put(kind: Thing["kind"], name: string, team: number | null, time_s: number, along: unknown, across: unknown): void {
    if (typeof along !== "number" || typeof across !== "number" || !Number.isFinite(along) || !Number.isFinite(across)) return;
    let thing = this.things.get(name);
    if (!thing) {
      if (this.things.size >= MOST_THINGS) return;
      const empty = () => new Float32Array(this.count).fill(Number.NaN);
      thing = { name, kind, team, along: empty(), across: empty() };
      this.things.set(name, thing);
    }
    thing.team = team;
    const step = Math.round((time_s - this.from_s) / STEP_S);
    if (step < 0 || step >= this.count) return;
    thing.along[step] = along;
    thing.across[step] = across;
  }

  /** Returns everything. Gaps of at most a second are filled with the value before them. */
  finish(): Field | null {
    const things = [...this.things.values()];
    for (const { along, across } of things) {
      let missing = Infinity;
      for (let n = 0; n < along.length; n += 1) {
        missing = Number.isNaN(along[n]) ? missing + 1 : 0;
        if (missing > 0 && missing <= 1 / STEP_S) { along[n] = along[n - 1] as number; across[n] = across[n - 1] as number; }
      }
    }
    return things.length > 0 ? { from_s: this.from_s, step_s: STEP_S, count: this.count, things } : null;
  }
}
