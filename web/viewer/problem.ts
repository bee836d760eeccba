// What can go wrong in the viewer, with text for the user: what was found, and what to do. Problems cross from the worker to the page, so
// they are plain objects.

export type Kind =
  | "not-a-tape" | "damaged" | "no-ranges" | "not-allowed" | "unreachable" | "answer" | "changed" | "unreadable" | "no-wasm" | "stopped";

export interface Problem {
  kind: Kind;
  /** What happened. */
  text: string;
  /** What to do about it. */
  advice: string;
}

/** A problem as an exception. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.text);
  }
}

export const problem = (kind: Kind, text: string, advice: string): ProblemError => new ProblemError({ kind, text, advice });

/** Returns what to tell the user about an exception of any kind. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return error.problem;
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  // A trap of WebAssembly is a RuntimeError, exhausted memory or stack a RangeError. A worker that met one is not asked again.
  return { kind: "stopped", text: `Reading the tape stopped: ${text}.`, advice: "Check the tape with gametape verify. If it is intact, this is an error of the viewer." };
}
