// The shell of the viewer: choosing tapes, what is going on, what went wrong, and the report page of the tape that is shown.

import { useEffect, useErrorBoundary, useMemo, useRef, useState } from "preact/hooks";
import { Page } from "../report/page";
import type { Detail } from "../report/data";
import { FieldView } from "./field_view";
import { type Shown, Tapes } from "./open";
import type { Problem } from "./problem";
import { type Place, tapeUrl } from "./source";
import type { Peer } from "./tape";

/** Each tape has two workers with up to 64 MiB of pages each. */
const MOST_TAPES = 4;
const ABOUT = "It was read in this browser; nothing was sent anywhere.";

const worker = (): Peer => new Worker(new URL("./worker.ts", import.meta.url), { type: "module" }) as unknown as Peer;

const asked = (): string[] => new URLSearchParams(location.search).getAll("tape").filter(Boolean).slice(0, MOST_TAPES);

/** An error while drawing must not leave an empty page: a tape can contain what nobody thought of. */
export function App() {
  const [error] = useErrorBoundary();
  if (!error) return <Viewer />;
  return (
    <main id="main" class="page viewer-start">
      <h1>gametape viewer</h1>
      <div class="note bad trouble" role="alert" data-problem="stopped">
        <h2>The page cannot show this tape</h2>
        <p>{error instanceof Error ? error.message : String(error)}</p>
        <p>This is an error of the viewer. gametape verify says whether the tape is intact.</p>
        <button type="button" onClick={() => location.reload()}>Start again</button>
      </div>
    </main>
  );
}

function Viewer() {
  const [, setVersion] = useState(0);
  const [tapes] = useState(() => new Tapes(worker, () => setVersion((n) => n + 1)));
  const [wanted, setWanted] = useState<string | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const open = (place: Place) => {
    if (tapes.all.length >= MOST_TAPES) return setRefused(`At most ${MOST_TAPES} tapes can be open at once. Close one of them first.`);
    setRefused(null);
    setWanted(tapes.open(place));
  };
  const openUrl = (text: string) => {
    const url = tapeUrl(text, location.href);
    if (url) open({ kind: "url", url });
    else setRefused(`${text} is not the address of a tape: it must begin with http:// or https://.`);
  };
  const openFiles = (files: Iterable<File>) => { for (const file of files) open({ kind: "file", file }); };
  useEffect(() => { asked().forEach(openUrl); }, []);
  const over = useDrop(openFiles);

  const good = tapes.all.filter((one) => one.report !== null);
  const shown = good.find((one) => one.key === wanted) ?? good[good.length - 1] ?? null;
  const reports = useMemo(() => good.flatMap((one) => one.report ?? []), [good.length, ...good.map((one) => one.report)]);
  const detail = useMemo((): Detail | undefined => shown ? (names, from_ns, to_ns) => shown.tape.aside({ what: "range", names, from_ns, to_ns }) : undefined, [shown?.tape]);

  const notes = (
    <>
      {refused && <p class="note bad" role="alert">{refused} <button type="button" class="plain small-button" onClick={() => setRefused(null)} aria-label="Dismiss">×</button></p>}
      {tapes.all.map((one) => <Note key={one.key} of={one} several={tapes.all.length > 1} onClose={() => tapes.close(one.key)} />)}
    </>
  );
  if (!shown?.report) return <Start notes={notes} isBusy={tapes.all.some((one) => one.stage === "opening")} onFiles={openFiles} onUrl={openUrl} over={over} />;
  return (
    <>
      {over && <div class="drop-shade" aria-hidden="true">Drop to open</div>}
      <Page report={shown.report} tapes={reports} detail={detail} notes={notes} about={ABOUT}
        field={shown.field && <FieldView key={shown.key} field={shown.field} marks={shown.report.marks} />}
        tools={<Tools shown={shown} good={good} onShow={setWanted} onClose={(key) => tapes.close(key)} onFiles={openFiles} />} />
    </>
  );
}

/** Files that are dropped anywhere on the page. Returns whether some are held over it. */
function useDrop(onFiles: (files: Iterable<File>) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef(onFiles);
  latest.current = onFiles;
  useEffect(() => {
    const hold = (event: DragEvent) => { if (event.dataTransfer?.types.includes("Files")) { event.preventDefault(); setOver(true); } };
    const leave = (event: DragEvent) => { if (!event.relatedTarget) setOver(false); };
    const drop = (event: DragEvent) => { event.preventDefault(); setOver(false); latest.current(event.dataTransfer?.files ?? []); };
    addEventListener("dragover", hold);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => { removeEventListener("dragover", hold); removeEventListener("dragleave", leave); removeEventListener("drop", drop); };
  }, []);
  return over;
}

function ChooseFiles({ text, main, onFiles }: { text: string; main?: boolean; onFiles: (files: Iterable<File>) => void }) {
  return (
    <label class={main ? "choose main" : "choose"}>
      <input type="file" multiple class="hidden" onChange={(event) => { onFiles([...(event.currentTarget.files ?? [])]); event.currentTarget.value = ""; }} />
      {text}
    </label>
  );
}

interface StartProps { notes: preact.ComponentChildren; isBusy: boolean; over: boolean; onFiles: (files: Iterable<File>) => void; onUrl: (url: string) => void }

function Start({ notes, isBusy, over, onFiles, onUrl }: StartProps) {
  const address = useRef<HTMLInputElement>(null);
  useEffect(() => { document.title = "gametape viewer"; }, []);
  return (
    <main id="main" class="page viewer-start">
      <h1>gametape viewer</h1>
      {notes}
      {!isBusy && (
        <section class={over ? "panel drop over" : "panel drop"} aria-label="Open a tape">
          <p>Drop a <code>.gtape</code> file here, or</p>
          <ChooseFiles text="Choose a file" main onFiles={onFiles} />
          <p class="soft">The file stays on this machine: the page reads the parts that it needs and sends nothing.</p>
          <div class="address">
            <label for="address">Address of a tape on a server</label>
            <div class="address-line">
              <input id="address" ref={address} type="url" placeholder="https://…/race.gtape" onKeyDown={(event) => { if (event.key === "Enter" && event.currentTarget.value) onUrl(event.currentTarget.value.trim()); }} />
              <button type="button" onClick={() => { const url = address.current?.value.trim(); if (url) onUrl(url); }}>Open</button>
            </div>
          </div>
        </section>
      )}
    </main>
  );
}

const STAGES = { opening: "Opening", laps: "Finding laps", traces: "Reading traces" } as const;

function Note({ of, several, onClose }: { of: Shown; several: boolean; onClose: () => void }) {
  const { stage, part, damage, problem, name } = of;
  const busy = stage === "opening" || stage === "laps" || stage === "traces" ? STAGES[stage] : null;
  return (
    <>
      {busy && (
        <div class="note">
          <span role="status">{busy}{several || stage === "opening" ? ` of ${name}`.replace("Opening of", "Opening") : ""}…</span>
          <progress aria-label={`${busy}: ${name}`} {...(stage === "opening" ? {} : { value: part })} />
          {stage === "opening" && <button type="button" class="small-button" onClick={onClose}>Stop</button>}
        </div>
      )}
      {problem && <Trouble name={name} problem={problem} onClose={onClose} />}
      {damage.length > 0 && (
        <details class="note bad">
          <summary>Parts of {name} are damaged ({damage.length}). What could be read is shown.</summary>
          <ul>{damage.slice(0, 50).map((text) => <li key={text}>{text}</li>)}</ul>
        </details>
      )}
    </>
  );
}

const HEADS: Record<Problem["kind"], string> = {
  "not-a-tape": "This is not a tape", damaged: "The tape is damaged", "no-ranges": "The server sends whole files only", "not-allowed": "The server does not let this page read",
  unreachable: "The server cannot be reached", answer: "The server did not send the tape", changed: "The tape changed", unreadable: "The file cannot be read",
  "no-wasm": "The viewer cannot start", stopped: "Reading stopped",
};

function Trouble({ name, problem, onClose }: { name: string; problem: Problem; onClose: () => void }) {
  return (
    <div class="note bad trouble" role="alert" data-problem={problem.kind}>
      <h2>{HEADS[problem.kind]}</h2>
      <p><b>{name}</b>: {problem.text}</p>
      {problem.advice && <p>{problem.advice}</p>}
      <button type="button" class="small-button" onClick={onClose}>Close {name}</button>
    </div>
  );
}

interface ToolsProps { shown: Shown; good: readonly Shown[]; onShow: (key: string) => void; onClose: (key: string) => void; onFiles: (files: Iterable<File>) => void }

function Tools({ shown, good, onShow, onClose, onFiles }: ToolsProps) {
  return (
    <span class="tape-tools">
      {good.length > 1 && (
        <label><span class="hidden">Tape</span>
          <select value={shown.key} onChange={(event) => onShow(event.currentTarget.value)}>
            {good.map((one, n) => <option key={one.key} value={one.key}>{n + 1}: {one.name}</option>)}
          </select>
        </label>
      )}
      <ChooseFiles text="Add a tape" onFiles={onFiles} />
      <button type="button" class="icon" title={`Close ${shown.name}`} aria-label={`Close ${shown.name}`} onClick={() => onClose(shown.key)}>×</button>
    </span>
  );
}
