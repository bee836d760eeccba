// Edits of a session and its laps, each with undo.

import { type Lap, type Session, sendJson } from "../../api/client";
import { toast } from "../../app/toasts";

export interface Remarks {
  name?: string | null;
  note?: string | null;
  tags?: string[];
  excluded?: boolean;
  deleted?: boolean;
}

async function edit(path: string, to: Remarks, back: Remarks | null, text: string, done: () => void): Promise<void> {
  try {
    await sendJson("PATCH", path, to);
    done();
    toast(back === null ? { text } : { text, undo: () => void edit(path, back, null, "Undone", done) });
  } catch (error) {
    toast({ text: (error as Error).message, bad: true });
  }
}

export const editLap = (lap: Lap, to: Remarks, text: string, done: () => void): Promise<void> =>
  edit(`/laps/${lap.id}`, to, undoOf(lap, to), text, done);

export const editSession = (session: Session, to: Remarks, text: string, done: () => void): Promise<void> =>
  edit(`/sessions/${session.id}`, to, undoOf(session, to), text, done);

/** Returns the edit that undoes `to`: the same fields with their current values. */
export function undoOf(of: Lap | Session, to: Remarks): Remarks {
  const was: Remarks = {
    name: of.name ?? null, note: of.note ?? null, tags: of.tags, deleted: !!of.deleted_utc, ...("excluded" in of ? { excluded: of.excluded } : {}),
  };
  return Object.fromEntries(Object.keys(to).map((key) => [key, was[key as keyof Remarks]]));
}

/** Renames a car or a track in all sessions. A null name restores the name made from its id. */
export async function rename(what: "cars" | "tracks", game: string, id: string, name: string | null, old: string | null, done: () => void): Promise<void> {
  try {
    await sendJson("PATCH", `/${what}`, { game, id, name });
    done();
    toast({ text: name ? `Renamed to ${name}` : "Name removed", undo: () => void rename(what, game, id, old, null, done) });
  } catch (error) {
    toast({ text: (error as Error).message, bad: true });
  }
}

/** Splits comma-separated tags, such as "wet, new tyres", and removes duplicates. */
export const tagsOf = (text: string): string[] => [...new Set(text.split(",").map((tag) => tag.trim()).filter(Boolean))];
