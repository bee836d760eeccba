import { expect, it } from "vitest";
import { sessionRequest } from "./laps";

it("the laps are those of the session that the shown car drives, not of the newest one", () => {
  expect(sessionRequest("driving", "abc")).toEqual({ path: "/sessions/abc", newest: false });
  expect(sessionRequest("stale", "abc")).toEqual({ path: "/sessions/abc", newest: false });
  expect(sessionRequest("driving", null)).toBeNull();
});

it("while nobody drives, the newest session is shown", () => {
  expect(sessionRequest("waiting", null)).toEqual({ path: "/sessions", newest: true });
  expect(sessionRequest(null, null)).toBeNull();
});
