import { expect, it } from "vitest";
import type { Lap } from "../../api/client";
import { backOf, tagsOf } from "./edits";

it("undo puts back what an edit changes, and nothing else", () => {
  const lap = { name: "fast one", note: null, tags: ["wet"], excluded: false, deleted_utc: null } as unknown as Lap;
  expect(backOf(lap, { excluded: true })).toEqual({ excluded: false });
  expect(backOf(lap, { deleted: true, tags: [] })).toEqual({ deleted: false, tags: ["wet"] });
  expect(backOf(lap, { name: null })).toEqual({ name: "fast one" });
});

it("tags are between commas, each once", () => {
  expect(tagsOf(" wet, new tyres ,,wet")).toEqual(["wet", "new tyres"]);
});
