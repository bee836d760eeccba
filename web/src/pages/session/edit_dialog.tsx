// A dialog that edits name, note and tags of a lap or a session and, for a session, the names of its car and track.

import { useEffect, useRef } from "preact/hooks";
import type { Lap, Session } from "../../api/client";
import { lapTime } from "../../words/format";
import { car, track } from "../../words/names";
import { editLap, editSession, rename, tagsOf } from "./edits";

export type Editing = { lap: Lap } | { session: Session } | null;

export function EditDialog({ of, onClose, done }: { of: Editing; onClose: () => void; done: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (of && !dialog.current?.open) dialog.current?.showModal();
    if (!of && dialog.current?.open) dialog.current.close();
  }, [of]);
  return (
    <dialog ref={dialog} class="edit" aria-label="Edit" onClose={onClose} onClick={(event) => event.target === dialog.current && onClose()}>
      {of && <Form key={"lap" in of ? of.lap.id : of.session.id} of={of} onClose={onClose} done={done} />}
    </dialog>
  );
}

function Form({ of, onClose, done }: { of: NonNullable<Editing>; onClose: () => void; done: () => void }) {
  const thing = "lap" in of ? of.lap : of.session;
  const title = "lap" in of ? `Lap ${of.lap.number ?? "–"} · ${lapTime(of.lap.time_ms)}` : track(of.session);
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const text = (name: string) => String(form.get(name) ?? "").trim() || null;
    const to = { name: text("name"), note: text("note"), tags: tagsOf(text("tags") ?? "") };
    const changed = to.name !== (thing.name ?? null) || to.note !== (thing.note ?? null) || to.tags.join() !== thing.tags.join();
    if (changed && "lap" in of) void editLap(of.lap, to, "Lap updated", done);
    if (changed && "session" in of) void editSession(of.session, to, "Session updated", done);
    if ("session" in of) {
      const { session } = of;
      const [carName, trackName] = [text("car"), text("track")];
      if (session.car && carName !== (session.car_name ?? null)) void rename("cars", session.game, session.car, carName, session.car_name ?? null, done);
      if (session.track && trackName !== (session.track_name ?? null)) void rename("tracks", session.game, session.track, trackName, session.track_name ?? null, done);
    }
    onClose();
  };
  return (
    <form onSubmit={send}>
      <h2>{title}</h2>
      <label>Name <input name="name" maxLength={200} defaultValue={thing.name ?? ""} /></label>
      <label>Note <textarea name="note" rows={4} maxLength={10000} defaultValue={thing.note ?? ""} /></label>
      <label>Tags, comma-separated <input name="tags" defaultValue={thing.tags.join(", ")} /></label>
      {"session" in of && (
        <>
          {of.session.car && <label>Car name, in all sessions <input name="car" maxLength={200} placeholder={car({ car: of.session.car })} defaultValue={of.session.car_name ?? ""} /></label>}
          {of.session.track && <label>Track name, in all sessions <input name="track" maxLength={200} placeholder={track({ track: of.session.track })} defaultValue={of.session.track_name ?? ""} /></label>}
        </>
      )}
      <p class="buttons"><button type="button" onClick={onClose}>Cancel</button><button type="submit" class="main">Save</button></p>
    </form>
  );
}
