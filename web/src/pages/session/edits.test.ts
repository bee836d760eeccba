import { expect, it } from "vitest";
import type { Lap } from "../../api/client";
import { undoOf, tagsOf } from "./edits";

it("undo restores the fields that an edit changes, and no others", () => {
  const lap = { name: "fast one", note: null, tags: ["wet"], excluded: false, deleted_utc: null } as unknown as Lap;
  expect(undoOf(lap, { excluded: true })).toEqual({ excluded: false });
  expect(undoOf(lap, { deleted: true, tags: [] })).toEqual({ deleted: false, tags: ["wet"] });
  expect(undoOf(lap, { name: null })).toEqual({ name: "fast one" });
});

it("tags are comma-separated and deduplicated", () => {
  expect(tagsOf(" wet, new tyres ,,wet")).toEqual(["wet", "new tyres"]);
});
