import { expect, it } from "vitest";
import { sessionRequest } from "./laps";

it("laps come from the session of the shown car, not from the newest session", () => {
  expect(sessionRequest("driving", "abc")).toEqual({ path: "/sessions/abc", newest: false });
  expect(sessionRequest("stale", "abc")).toEqual({ path: "/sessions/abc", newest: false });
  expect(sessionRequest("driving", null)).toBeNull();
});

it("without a running game, the newest session is shown", () => {
  expect(sessionRequest("waiting", null)).toEqual({ path: "/sessions", newest: true });
  expect(sessionRequest(null, null)).toBeNull();
});
