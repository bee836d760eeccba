// Line styles of laps. Laps differ in colour and dash, so that plots can be read without colours.

import { theme } from "../app/theme";

// The reference is neutral; the others stay distinguishable with red-green colour blindness.
const DARK = ["#edf0ea", "#f5b638", "#56b4e9", "#ff8fc4", "#35d0a0", "#c79bff", "#ff8a5c", "#cfd863"];
const LIGHT = ["#16191b", "#9a6200", "#0b6fb3", "#b0206f", "#00735a", "#7336c4", "#b3421b", "#5d6600"];
const DASHES: number[][] = [[], [14, 3], [7, 3], [2, 3], [10, 3, 2, 3], [4, 2], [1, 2], [12, 4]];

export const MOST_LAPS = 8;
export const lapColour = (n: number): string => (theme() === "dark" ? DARK : LIGHT)[n % MOST_LAPS] as string;
export const lapDash = (n: number): number[] => DASHES[n % MOST_LAPS] as number[];
