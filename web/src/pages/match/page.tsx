// One match: its facts, its players in teams, and its events on a time line. What the file does not say is shown as a dash.

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Match } from "../../api/client";
import { useFetch } from "../../api/use";
import { Shown } from "../../app/problem";
import { useRoute } from "../../app/router";
import { feed } from "../../live/feed";
import { isDraw, matchLength, ownOutcome, playerCount, played, title, winner } from "../../numbers/match";
import { UNKNOWN, count, moment } from "../../words/format";
import { game, word } from "../../words/names";
import { Events } from "./events";
import { Players } from "./players";

export function MatchPage() {
  const { path } = useRoute();
  const answer = useFetch<Match>(`/matches/${path.split("/")[2] ?? ""}`);
  useEffect(() => feed.onEvent((event) => { if (event.kind === "reset") answer.reload(); }), [answer.reload]);
  return (
    <div class="page match-page">
      <Shown of={answer}>
        {(match) => (
          <>
            <Head match={match} />
            <Facts match={match} />
            <Players match={match} />
            <Events match={match} />
          </>
        )}
      </Shown>
    </div>
  );
}

function Head({ match }: { match: Match }) {
  const when = played(match);
  const name = title(match);
  return (
    <header class="page-head session-head">
      <div>
        <p class="soft"><a href="/matches">Matches</a> / {when.utc ? moment(when.utc) : when.local ?? "date unknown"}</p>
        <h1>{name}</h1>
        <p class="soft facts">{[name !== game(match.game) && game(match.game), match.mode && word(match.mode)].filter(Boolean).map((text) => <span key={String(text)}>{text}</span>)}</p>
      </div>
      <p class="buttons"><a class="button" href={`/tapes/${match.tape}`}>Tape</a></p>
    </header>
  );
}

function Facts({ match }: { match: Match }) {
  const when = played(match);
  return (
    <dl class="summary match-facts">
      <Fact name="Result" lead more={ownOutcome(match)}>{match.result ?? UNKNOWN}</Fact>
      <Fact name="Winner">{winner(match) ?? (isDraw(match) ? "nobody" : UNKNOWN)}</Fact>
      <Fact name="Length">{matchLength(match.length_ns)}</Fact>
      <Fact name="Players">{count(playerCount(match))}</Fact>
      <Fact name={when.label} text more={when.local ? "time zone unknown" : when.label === "Dated" && when.utc ? "start or end" : null}>{when.utc ? moment(when.utc) : when.local ?? UNKNOWN}</Fact>
      <Fact name="Map" text>{match.map ?? UNKNOWN}</Fact>
      <Fact name="Mode" text>{match.mode ? word(match.mode) : UNKNOWN}</Fact>
      <Fact name="Version" text>{match.version ?? UNKNOWN}</Fact>
      <Fact name="Recorded by" text>{match.recorded_by ?? UNKNOWN}</Fact>
    </dl>
  );
}

function Fact({ name, lead = false, text = false, more, children }: { name: string; lead?: boolean; text?: boolean; more?: string | null; children: ComponentChildren }) {
  return <div class={lead ? "lead" : ""}><dt class="label">{name}</dt><dd class={text ? "text" : "num"}>{children}</dd>{more && <dd class="soft">{more}</dd>}</div>;
}
