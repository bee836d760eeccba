// One session: summary, lap chart, laps, stints and tyres, with edits.

import { useEffect, useState } from "preact/hooks";
import type { Lap, Session, Stint } from "../../api/client";
import { useFetch } from "../../api/use";
import { Shown } from "../../app/problem";
import { go, setQuery, useRoute } from "../../app/router";
import { useKeys } from "../../app/shortcuts";
import { feed } from "../../live/feed";
import { bestSectors, countingTimes, least, mean, median, paceTimes, spread } from "../../numbers/stats";
import { clock, delta, duration, fixed, lapTime, moment, plural, sectorTime } from "../../words/format";
import { car, driver, game, sky, track, word } from "../../words/names";
import { SessionStandings } from "../standings";
import { EditDialog, type Editing } from "./edit_dialog";
import { editSession } from "./edits";
import { LapChart } from "./lap_chart";
import { LapTable } from "./lap_table";
import { Tyres } from "./tyres";

export function SessionPage() {
  const { path, query } = useRoute();
  const id = path.split("/")[2] ?? "";
  const answer = useFetch<Session>(`/sessions/${id}`, { deleted: true });
  const [editing, setEditing] = useState<Editing>(null);
  useEffect(() => feed.onEvent((event) => {
    const of = (event.data.session ?? event.data.id) as string | undefined;
    // The other cars have a request of their own.
    if (event.kind === "standings") return;
    if (event.kind === "reset" || event.kind.endsWith("_edited") || of === id) answer.reload();
  }), [id, answer.reload]);
  const selected = (query.get("laps") ?? "").split(",").filter(Boolean);
  const toggle = (lap: string) => {
    const next = selected.includes(lap) ? selected.filter((one) => one !== lap) : [...selected, lap].slice(-8);
    setQuery({ laps: next.join(",") });
  };
  return (
    <div class="page">
      <Shown of={answer}>
        {(session) => (
          <>
            <Head session={session} onEdit={() => setEditing({ session })} done={answer.reload} />
            <Body session={session} selected={selected} onToggle={toggle} onEdit={(lap) => setEditing({ lap })} done={answer.reload} />
            <EditDialog of={editing} onClose={() => setEditing(null)} done={answer.reload} />
          </>
        )}
      </Shown>
    </div>
  );
}

function Head({ session, onEdit, done }: { session: Session; onEdit: () => void; done: () => void }) {
  const length = session.started_utc && session.ended_utc ? Date.parse(session.ended_utc) - Date.parse(session.started_utc) : null;
  return (
    <header class="page-head session-head">
      <div>
        <p class="soft"><a href="/sessions">Sessions</a> / {moment(session.started_utc)}</p>
        <h1>{session.name ?? track(session)}</h1>
        <p class="soft facts">
          {[session.name && track(session), car(session), session.driver && driver(session), game(session.game), word(session.type),
            length !== null && `${clock(session.started_utc)}–${clock(session.ended_utc)}, ${duration(length)}`].filter(Boolean).map((text) => <span key={String(text)}>{text}</span>)}
          {session.tags.map((tag) => <a key={tag} class="chip tag" href={`/sessions?tag=${encodeURIComponent(tag)}`}>{tag}</a>)}
        </p>
        {session.note && <p class="session-note">{session.note}</p>}
        {session.remark && <p class="soft">{session.remark}</p>}
        {session.foreign && <p class="soft"><span class="chip">someone else's laps</span> They come from a lap file and count for no personal best.</p>}
      </div>
      <p class="buttons">
        <a class="button" href={`/tapes/${session.tape_id}`}>Tape</a>
        <button type="button" onClick={onEdit}>Edit</button>
        {session.deleted_utc
          ? <button type="button" onClick={() => void editSession(session, { deleted: false }, "Session restored", done)}>Restore</button>
          : <button type="button" onClick={() => void editSession(session, { deleted: true }, "Session deleted", done)}>Delete</button>}
      </p>
      {session.deleted_utc && <p class="deleted-note" role="status">Session deleted {moment(session.deleted_utc)}. Its tape is kept.</p>}
    </header>
  );
}

interface BodyProps { session: Session; selected: string[]; onToggle: (id: string) => void; onEdit: (lap: Lap) => void; done: () => void }

function Body({ session, selected, onToggle, onEdit, done }: BodyProps) {
  const laps = (session.laps ?? []).filter((lap) => !lap.deleted_utc);
  const counting = countingTimes(laps);
  const bestMs = session.best_ms ?? least(counting);
  const sectors = bestSectors(laps);
  const bestId = session.best_lap ?? null;
  const compare = () => { if (selected.length > 0) go(compareLink(selected, bestId)); };
  useKeys({ Enter: compare, Escape: () => setQuery({ laps: null }) });
  return (
    <>
      <Summary session={session} laps={laps} counting={counting} bestMs={bestMs} sectors={sectors} />
      {laps.filter((lap) => lap.time_ms != null).length > 1 && <section class="panel chart-panel"><LapChart laps={laps} selected={selected} onToggle={onToggle} /></section>}
      <LapTable laps={laps} bestId={bestId} bestMs={bestMs} bestSectors={sectors} selected={selected} onToggle={onToggle} onEdit={onEdit} done={done} />
      {(session.stints?.length ?? 0) > 0 && <Stints stints={session.stints ?? []} laps={laps} />}
      <Tyres stints={session.stints ?? []} laps={laps} />
      {!session.deleted_utc && <SessionStandings session={session.id} />}
      {selected.length > 0 && (
        <div class="picked" role="region" aria-label="Selected laps">
          <span>{plural(selected.length, "lap")} selected{selected.length === 1 && bestId && selected[0] !== bestId ? ", compared with the best" : ""}</span>
          <a class="main" href={compareLink(selected, bestId)}>Compare</a>
          <button type="button" class="plain" onClick={() => setQuery({ laps: null })}>Clear</button>
        </div>
      )}
    </>
  );
}

/** Returns the link that compares the selected laps. A single lap is compared with the best. */
export function compareLink(selected: readonly string[], best: string | null): string {
  const laps = selected.length === 1 && best && selected[0] !== best ? [best, ...selected] : selected;
  return `/compare?laps=${laps.join(",")}`;
}

function Summary({ session, laps, counting, bestMs, sectors }: { session: Session; laps: readonly Lap[]; counting: number[]; bestMs: number | null; sectors: (number | null)[] }) {
  const pace = paceTimes(counting);
  const possible = session.theoretical_best_ms ?? null;
  const fuel = mean(laps.flatMap((lap) => (lap.eligible && lap.fuel_used_l != null ? [lap.fuel_used_l] : [])));
  const top = laps.flatMap((lap) => lap.top_speed_kmh ?? []);
  const air = mean(laps.flatMap((lap) => lap.conditions.air_celsius ?? []));
  const ground = mean(laps.flatMap((lap) => lap.conditions.track_celsius ?? []));
  const apart = spread(pace);
  return (
    <dl class="summary">
      <div class="lead"><dt class="label">Best lap</dt><dd class="num purple">{lapTime(bestMs)}</dd></div>
      <div><dt class="label">Theoretical best</dt><dd class="num">{lapTime(possible)}</dd><dd class="soft num">{possible !== null && bestMs !== null ? delta(possible - bestMs) : ""}</dd></div>
      {sectors.length > 0 && <div><dt class="label">Best sectors</dt><dd class="num">{sectors.map(sectorTime).join("  ")}</dd></div>}
      <div><dt class="label">Median</dt><dd class="num">{lapTime(median(pace) === null ? null : Math.round(median(pace) as number))}</dd></div>
      <div><dt class="label">Spread</dt><dd class="num">{apart === null ? "–" : `${(apart / 1000).toFixed(2)} s`}</dd><dd class="soft">middle half of laps</dd></div>
      <div><dt class="label">Laps</dt><dd class="num">{laps.length}</dd><dd class="soft">{counting.length} counted</dd></div>
      <div><dt class="label">Fuel per lap</dt><dd class="num">{fixed(fuel, 2, "L")}</dd></div>
      <div><dt class="label">Top speed</dt><dd class="num">{top.length ? fixed(Math.max(...top), 0, "km/h") : "–"}</dd></div>
      <div><dt class="label">Air / track</dt><dd class="num">{air === null && ground === null ? "–" : `${fixed(air)} / ${fixed(ground)} °C`}</dd><dd class="soft">{sky(laps)}</dd></div>
    </dl>
  );
}

function Stints({ stints, laps }: { stints: readonly Stint[]; laps: readonly Lap[] }) {
  return (
    <section>
      <h2>Stints</h2>
      <div class="panel scroll-x" tabIndex={0} role="region" aria-label="Stints">
        <table>
          <thead><tr><th>Stint</th><th class="num">Laps</th><th class="num">Best</th><th class="num">Median</th><th class="num">Spread</th><th class="num">Fuel</th><th class="num">Fuel per lap</th><th>Start</th><th>End</th></tr></thead>
          <tbody>
            {stints.map((stint) => {
              const own = laps.filter((lap) => lap.stint === stint.n);
              const times = paceTimes(countingTimes(own));
              const apart = spread(times);
              const mid = median(times);
              return (
                <tr key={stint.n}>
                  <td class="num">{stint.n}</td>
                  <td class="num">{own.length}</td>
                  <td class="num">{lapTime(least(times))}</td>
                  <td class="num">{lapTime(mid === null ? null : Math.round(mid))}</td>
                  <td class="num">{apart === null ? "–" : `${(apart / 1000).toFixed(2)} s`}</td>
                  <td class="num">{fixed(stint.fuel_start_l, 1)} → {fixed(stint.fuel_end_l, 1, "L")}</td>
                  <td class="num">{fixed(mean(own.flatMap((lap) => lap.fuel_used_l ?? [])), 2, "L")}</td>
                  <td>{word(stint.start_reason)}{stint.driver && ` · ${stint.driver}`}</td>
                  <td>{stint.end_reason ? word(stint.end_reason) : "running"}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}
