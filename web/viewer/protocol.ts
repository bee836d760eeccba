// What page and worker say to each other. The page sends requests; the worker answers each one with a value or a problem, and before that
// with any number of progress messages. Everything is structured-cloneable.

import type { Report, TimeLines } from "../report/data";
import type { Field } from "./field";
import type { Problem } from "./problem";
import type { Place } from "./source";

export type Ask =
  /** Opens the tape. Everything else comes after it. */
  | { what: "open"; place: Place; name: string }
  /** What the ends of the tape say: at once, however long it is. */
  | { what: "overview" }
  /** Sessions and laps. Reads the whole tape. */
  | { what: "laps" }
  /** Everything that the page of a report shows. */
  | { what: "report" }
  /** Channels in a part of the tape, with every frame or as 65,536 intervals. */
  | { what: "range"; names: string[]; from_ns: number; to_ns: number }
  /** Positions of players and ball, if the tape is of a match. */
  | { what: "field"; game: string };

interface Answers {
  /** `name`: as the server names the file, or that of the request. */
  open: { bytes: number; name: string };
  overview: { document: Omit<Report, "lines">; lines: TimeLines; streams: string[]; damage: string[] };
  /** `text`: a document with `sessions`; null if the game of the tape is unknown. */
  laps: { text: string | null; damage: string[] };
  /** `text`: a report. */
  report: { text: string; damage: string[] };
  range: TimeLines;
  field: Field | null;
}

export type Answer<A extends Ask["what"]> = Answers[A];

export interface Request { id: number; ask: Ask }

export type Reply =
  | { id: number; part: number }
  | { id: number; value: unknown }
  | { id: number; problem: Problem };
