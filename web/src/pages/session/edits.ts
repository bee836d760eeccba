// What can be changed about a session and its laps, each with a way back.

import { type Lap, type Session, change } from "../../api/client";
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
    await change("PATCH", path, to);
    done();
    toast(back === null ? { text } : { text, undo: () => void edit(path, back, null, "Undone", done) });
  } catch (error) {
    toast({ text: (error as Error).message, bad: true });
  }
}

export const editLap = (lap: Lap, to: Remarks, text: string, done: () => void): Promise<void> =>
  edit(`/laps/${lap.id}`, to, backOf(lap, to), text, done);

export const editSession = (session: Session, to: Remarks, text: string, done: () => void): Promise<void> =>
  edit(`/sessions/${session.id}`, to, backOf(session, to), text, done);

/** The same fields as they were. */
export function backOf(of: Lap | Session, to: Remarks): Remarks {
  const was: Remarks = {
    name: of.name ?? null, note: of.note ?? null, tags: of.tags, deleted: !!of.deleted_utc, ...("excluded" in of ? { excluded: of.excluded } : {}),
  };
  return Object.fromEntries(Object.keys(to).map((key) => [key, was[key as keyof Remarks]]));
}

/** Names a car or a track for good: all its sessions show it. */
export async function nameThing(what: "cars" | "tracks", game: string, id: string, name: string | null, old: string | null, done: () => void): Promise<void> {
  try {
    await change("PATCH", `/${what}`, { game, id, name });
    done();
    toast({ text: name ? `Named ${name}` : "Name taken away", undo: () => void nameThing(what, game, id, old, null, done) });
  } catch (error) {
    toast({ text: (error as Error).message, bad: true });
  }
}

/** "wet, new tyres" is two tags. */
export const tagsOf = (text: string): string[] => [...new Set(text.split(",").map((tag) => tag.trim()).filter(Boolean))];
