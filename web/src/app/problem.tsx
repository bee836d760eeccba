// Placeholders for data from the server: loading, empty, an error with a retry button, or a prompt for a token.

import type { ComponentChildren } from "preact";
import { type ApiError, token } from "../api/client";
import type { Fetched } from "../api/use";
import { feed } from "../live/feed";

export function Problem({ error, retry }: { error: ApiError; retry: () => void }) {
  if (error.status === 401) return <TokenPrompt retry={retry} />;
  return (
    <div class="problem" role="alert">
      <p>{error.message}</p>
      <button type="button" onClick={retry}>Try again</button>
    </div>
  );
}

function TokenPrompt({ retry }: { retry: () => void }) {
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    const secret = new FormData(event.target as HTMLFormElement).get("token");
    token.set(String(secret ?? "").trim());
    feed.connect();
    retry();
  };
  return (
    <form class="problem" onSubmit={send}>
      <p>This server requires a token. Create one on the server with <code>gametape token add NAME</code>.</p>
      <label>Token <input name="token" type="password" autocomplete="off" required /></label>
      <button type="submit" class="main">Continue</button>
    </form>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <svg viewBox="0 0 120 50" width="120" height="50" aria-hidden="true">
        <g fill="none" stroke="currentColor" stroke-width="2"><circle cx="34" cy="22" r="14" /><circle cx="86" cy="22" r="14" />
          <circle cx="34" cy="22" r="4" /><circle cx="86" cy="22" r="4" /><path d="M10 44h100" stroke-linecap="round" stroke-dasharray="1 6" /></g>
      </svg>
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Renders loaded data, or a placeholder. During a reload the previous data stays. */
export function Shown<T>({ of, children }: { of: Fetched<T>; children: (data: T) => ComponentChildren }) {
  if (of.error && (of.data === null || of.error.status === 401)) return <Problem error={of.error} retry={of.reload} />;
  if (of.data === null) return <p class="loading" role="status">Loading…</p>;
  return <>{children(of.data)}</>;
}
