// Drops files of other programs into the page, or chooses them, and imports them one after another.

import { useRef, useState } from "preact/hooks";
import { importFile, jobsOf, outcome } from "./import_file";

interface Line {
  name: string;
  text: string;
  failed: boolean;
}

export function ImportDrop({ done }: { done: () => void }) {
  const [over, setOver] = useState(false);
  const [busy, setBusy] = useState(false);
  const [mine, setMine] = useState(false);
  const [lines, setLines] = useState<Line[]>([]);
  const chooser = useRef<HTMLInputElement>(null);

  async function take(list: FileList | null | undefined) {
    const jobs = jobsOf([...(list ?? [])].map((file) => ({ name: file.name, blob: file })));
    if (jobs.length === 0 || busy) return;
    setBusy(true);
    setLines(jobs.map((job) => ({ name: job.name, text: "waiting", failed: false })));
    const tell = (at: number, text: string, failed = false) => setLines((now) => now.map((line, index) => (index === at ? { ...line, text, failed } : line)));
    for (const [at, job] of jobs.entries()) {
      try {
        const imported = await importFile(job, mine, (share) => tell(at, share < 1 ? `${Math.round(share * 100)} %` : "importing"));
        tell(at, outcome(job.name, imported));
      } catch (error) {
        tell(at, `${job.name}: ${error instanceof Error ? error.message : String(error)}`, true);
      }
    }
    setBusy(false);
    done();
  }

  return (
    <section
      class={`panel import-drop ${over ? "over" : ""}`}
      aria-label="Import files"
      onDragOver={(event) => { event.preventDefault(); setOver(true); }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => { event.preventDefault(); setOver(false); void take(event.dataTransfer?.files); }}
    >
      <p>
        Drop files of other programs here, or <button type="button" disabled={busy} onClick={() => chooser.current?.click()}>choose files</button>
        <span class="soft"> MoTeC (.ld with .ldx), RaceChrono, .vbo, Garage 61, GPX, .ibt, .f1pcap …</span>
      </p>
      <label><input type="checkbox" checked={mine} disabled={busy} onChange={(event) => setMine(event.currentTarget.checked)} /> these are my own laps</label>
      <input ref={chooser} class="hidden" type="file" multiple aria-label="Files to import" onChange={(event) => { void take(event.currentTarget.files); event.currentTarget.value = ""; }} />
      {lines.length > 0 && <ul role="status">{lines.map((line) => <li key={line.name} class={line.failed ? "invalid" : ""}>{line.failed ? "✕ " : ""}{line.text}</li>)}</ul>}
    </section>
  );
}
