// The HTTP client. Sends a request to the API and returns JSON, or throws an `ApiError` whose message can be shown to the user. A token, if the
// server requires one, is kept in `sessionStorage` of this tab.

import type { components } from "./schema";

export type Schemas = components["schemas"];
export type Lap = Schemas["LapAnswer"];
export type Session = Schemas["SessionAnswer"];
export type Stint = Schemas["StintAnswer"];
export type Best = Schemas["BestAnswer"];
export type Driven = Schemas["DrivenAnswer"];
export type Driver = Schemas["DriverAnswer"];
export type Day = Schemas["DayAnswer"];
export type Tape = Schemas["TapeAnswer"];
export type Standings = Schemas["StandingsAnswer"];
export type CarStanding = Schemas["CarStandingAnswer"];
export type Match = Schemas["MatchAnswer"];
export type MatchEvent = Schemas["MatchEventAnswer"];
export type MatchPlayer = Schemas["MatchPlayerAnswer"];
export type MatchTeam = Schemas["MatchTeamAnswer"];

export type Params = Record<string, string | number | boolean | null | undefined>;

export class ApiError extends Error {
  constructor(readonly status: number, readonly code: string, message: string) {
    super(message);
  }
}

const TOKEN = "gametape-token";

export const token = {
  get: (): string | null => sessionStorage.getItem(TOKEN),
  set(value: string) {
    sessionStorage.setItem(TOKEN, value);
  },
};

export function apiUrl(path: string, params: Params = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "" && value !== false) query.set(name, String(value));
  }
  const text = query.toString();
  return `/api/v1${path}${text ? `?${text}` : ""}`;
}

/** Sends a request and returns the response with its body unread. Throws an `ApiError` unless the status is 2xx. */
export async function fetchResponse(path: string, params?: Params, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  const secret = token.get();
  if (secret) headers.set("authorization", `Bearer ${secret}`);
  let response: Response;
  try {
    response = await fetch(apiUrl(path, params), { ...init, headers });
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "unreachable", "Cannot reach the server. Is gametape running?");
  }
  if (!response.ok) {
    const problem = (await response.json().catch(() => null)) as Schemas["Problem"] | null;
    const text = problem?.error?.message ?? `The server returned HTTP ${response.status}.`;
    throw new ApiError(response.status, problem?.error?.code ?? "unknown", text.charAt(0).toUpperCase() + text.slice(1));
  }
  return response;
}

export async function fetchJson<T>(path: string, params?: Params, init: RequestInit = {}): Promise<T> {
  return (await (await fetchResponse(path, params, init)).json()) as T;
}

export function sendJson<T>(method: "PATCH" | "DELETE" | "POST", path: string, body?: unknown): Promise<T> {
  const json = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  return fetchJson<T>(path, undefined, { method, ...json });
}

/** Fetches all pages of a list, up to `most` entries. */
export async function fetchPages<T>(path: string, field: string, params: Params, most: number, signal?: AbortSignal): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | null = null;
  do {
    const limit = Math.min(500, most - found.length);
    const page: Record<string, unknown> = await fetchJson(path, { ...params, limit, cursor }, signal ? { signal } : {});
    found.push(...((page[field] as T[] | undefined) ?? []));
    cursor = (page.next as string | null | undefined) ?? null;
  } while (cursor !== null && found.length < most);
  return found;
}
