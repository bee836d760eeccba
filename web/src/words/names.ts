// Display names: the name set by the user, or the game's id made readable.

/** Games whose replay files hold the facts of a match. */
export const REPLAY_GAMES: Record<string, string> = {
  "age-of-empires-2": "Age of Empires II",
  "counter-strike-2": "Counter-Strike 2",
  "dota-2": "Dota 2",
  fortnite: "Fortnite",
  "league-of-legends": "League of Legends",
  osu: "osu!",
  pubg: "PUBG",
  "rainbow-six-siege": "Rainbow Six Siege",
  "rocket-league": "Rocket League",
  "starcraft-2": "StarCraft II",
  trackmania: "Trackmania",
  "warcraft-3": "Warcraft III",
};

const GAMES: Record<string, string> = {
  "assetto-corsa": "Assetto Corsa",
  "assetto-corsa-competizione": "ACC",
  "assetto-corsa-evo": "AC EVO",
  "assetto-corsa-rally": "AC Rally",
  iracing: "iRacing",
  "echo-vr": "Echo VR",
  "lap-file": "Lap file",
  ...REPLAY_GAMES,
};

export function game(id: string | null | undefined): string {
  if (!id) return "–";
  return GAMES[id] ?? words(id);
}

/** Turns an id such as `porsche_991ii_gt3_r` into "Porsche 991ii GT3 R". Keeps the case of ids with capitals or spaces. */
export function words(id: string): string {
  if (/[A-Z ]/.test(id)) return id.replaceAll("_", " ").trim();
  const upper = /^(gt\d?|gtc|lmp\d|lmdh|f\d|amg|bmw|r|evo|tcr|m\d|rs|gp|st|gte|cup\d?)$/;
  const cap = (word: string) => (upper.test(word) ? word.toUpperCase() : word.charAt(0).toUpperCase() + word.slice(1));
  return id.split(/[_-]+/).filter(Boolean).map(cap).join(" ");
}

interface Driven {
  track?: string | null;
  track_name?: string | null;
  layout?: string | null;
  car?: string | null;
  car_name?: string | null;
  driver?: string | null;
  driver_name?: string | null;
}

export function track(of: Driven): string {
  const name = of.track_name ?? (of.track ? words(of.track) : "–");
  return of.layout ? `${name} · ${words(of.layout)}` : name;
}

export function car(of: Driven): string {
  return of.car_name ?? (of.car ? words(of.car) : "–");
}

export function driver(of: Driven): string {
  return of.driver_name ?? of.driver ?? "–";
}

export const word = (code: string): string => code.replaceAll("_", " ");

interface Conditions { rain?: string | null; grip?: string | null; tyre?: string | null }

/** Summarizes rain, grip and tyres of the laps. Dry weather is not mentioned. */
export function sky(laps: readonly { conditions: Conditions }[]): string {
  const all = (of: (conditions: Conditions) => string | null | undefined) => [...new Set(laps.flatMap((lap) => of(lap.conditions) ?? []))];
  const rain = all((one) => one.rain).filter((one) => !/^(none|no rain|dry)$/i.test(one)).map((one) => (/rain|wet|driz/i.test(one) ? word(one) : `${word(one)} rain`));
  const grip = all((one) => one.grip).map((one) => `${word(one)} grip`);
  return [...rain, ...grip, ...all((one) => one.tyre).map(word)].join(", ");
}

const PHASES: Record<string, string> = {
  flying: "flying",
  out: "out-lap",
  in: "in-lap",
  pit: "pit",
  grid_start: "grid start",
  formation: "formation",
};
export const phase = (code: string): string => PHASES[code] ?? word(code);
