// Number formatting. Unknown is a dash, never 0. Slower is +, faster is − (U+2212, as wide as the plus).

export const UNKNOWN = "–";
type Maybe = number | null | undefined;

const known = (value: Maybe): value is number => typeof value === "number" && Number.isFinite(value);

/** Formats a lap time as `1:23.456`, or `1:02:03.456` from one hour on. */
export function lapTime(ms: Maybe, digits = 3): string {
  if (!known(ms) || ms < 0) return UNKNOWN;
  const unit = 10 ** (3 - digits);
  // Truncate instead of rounding: a running timer must not show a second early.
  const parts = Math.floor(ms / unit);
  const perSecond = 10 ** digits;
  const seconds = Math.floor(parts / perSecond);
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const tail = digits > 0 ? `.${String(parts % perSecond).padStart(digits, "0")}` : "";
  const two = (n: number) => String(n).padStart(2, "0");
  return h > 0 ? `${h}:${two(m)}:${two(s)}${tail}` : `${m}:${two(s)}${tail}`;
}

/** Formats a sector time as `31.204`, or `1:02.204` from one minute on. */
export function sectorTime(ms: Maybe): string {
  if (!known(ms) || ms < 0) return UNKNOWN;
  return ms < 60_000 ? (Math.round(ms) / 1000).toFixed(3) : lapTime(Math.round(ms));
}

/** Formats a delta as `+0.123` or `−0.123`. */
export function delta(ms: Maybe, digits = 3): string {
  if (!known(ms)) return UNKNOWN;
  const text = (Math.abs(ms) / 1000).toFixed(digits);
  if (Number(text) === 0) return `±${text}`;
  return `${ms > 0 ? "+" : "−"}${text}`;
}

/** Returns the CSS class of a delta, which colours it in addition to the sign. */
export function deltaClass(ms: Maybe, digits = 3): string {
  // A delta that is displayed as zero has no colour.
  if (!known(ms) || Number((ms / 1000).toFixed(digits)) === 0) return "";
  return ms > 0 ? "slower" : "faster";
}

export function fixed(value: Maybe, digits = 0, unit = ""): string {
  if (!known(value)) return UNKNOWN;
  // Show negative zero as 0.
  const text = value.toFixed(digits).replace(/^-(0(\.0*)?)$/, "$1").replace("-", "−");
  return unit ? `${text} ${unit}` : text;
}

export function percent(share: Maybe, digits = 0): string {
  return known(share) ? `${(share * 100).toFixed(digits)} %` : UNKNOWN;
}

/** Formats a gear as `R`, `N`, `1`, `2`, … */
export function gear(value: Maybe): string {
  if (!known(value)) return UNKNOWN;
  return value < 0 ? "R" : value === 0 ? "N" : String(value);
}

/** Formats a duration as `2 h 5 min`, `12 min` or `45 s`. */
export function duration(ms: Maybe): string {
  if (!known(ms) || ms < 0) return UNKNOWN;
  const s = Math.round(ms / 1000);
  if (s < 60) return `${s} s`;
  const minutes = Math.round(s / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function bytes(count: Maybe): string {
  if (!known(count)) return UNKNOWN;
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = count;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? value.toFixed(0) : value.toFixed(1)} ${units[unit]}`;
}

export function count(value: Maybe): string {
  return known(value) ? value.toString().replace(/\B(?=(\d{3})+$)/g, "\u202f") : UNKNOWN;
}

const two = (n: number) => String(n).padStart(2, "0");

/** Formats the day in the user's time zone as `2026-03-01`. */
export function day(utc: string | null | undefined): string {
  const at = utc ? new Date(utc) : null;
  if (!at || Number.isNaN(at.getTime())) return UNKNOWN;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
}

export function clock(utc: string | null | undefined): string {
  const at = utc ? new Date(utc) : null;
  if (!at || Number.isNaN(at.getTime())) return UNKNOWN;
  return `${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Formats a time as `today 12:03`, `yesterday 12:03` or `2026-03-01 12:03`. */
export function moment(utc: string | null | undefined, now = new Date()): string {
  if (!utc) return UNKNOWN;
  const that = day(utc);
  if (that === UNKNOWN) return UNKNOWN;
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  const word = that === day(now.toISOString()) ? "today" : that === day(yesterday.toISOString()) ? "yesterday" : that;
  return `${word} ${clock(utc)}`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}
