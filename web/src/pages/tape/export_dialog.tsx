// A dialog that exports a tape: format, channels, lap.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Lap } from "../../api/client";
import type { TapeInside } from "../../numbers/tape";
import { lapTime } from "../../words/format";
import { save } from "./save";

/** The export formats of the server. */
const FORMATS = [
  { value: "csv", text: "CSV", about: "for spreadsheets and scripts" },
  { value: "jsonl", text: "JSON Lines", about: "one object per row" },
  { value: "parquet", text: "Parquet", about: "for DuckDB, Polars, pandas: one stream" },
  { value: "motec", text: "MoTeC log", about: "for MoTeC i2: a .ld file and its laps, in a zip archive" },
  { value: "mcap", text: "MCAP", about: "for Foxglove, Rerun and other viewers" },
  { value: "html", text: "Report", about: "a page to keep or share: laps, traces, track map, comparison" },
] as const;

export function ExportDialog({ open, onClose, tape, file, laps, shown, streams }: { open: boolean; onClose: () => void; tape: string; file: string; laps: readonly Lap[]; shown: readonly string[]; streams: TapeInside["streams"] }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [format, setFormat] = useState<string>("csv");
  const [all, setAll] = useState(false);
  const [lap, setLap] = useState("");
  const withChannels = streams.filter((stream) => stream.channels.length > 0);
  const [stream, setStream] = useState("");
  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open && dialog.current?.open) dialog.current.close();
  }, [open]);
  /** A report includes all laps and selects its own channels. */
  const report = format === "html";
  /** Parquet has a file for each stream. */
  const columnar = format === "parquet";
  const chosen = columnar ? (withChannels.find((one) => one.name === stream) ?? withChannels[0])?.name ?? null : null;
  const name = `${file.replace(/\.gtape$/, "")}${chosen && withChannels.length > 1 ? `.${chosen.replace(/[^\w.-]/g, "_")}` : ""}${lap && !report ? `_lap${lap.padStart(2, "0")}` : ""}.${format === "motec" ? "zip" : format}`;
  const send = (event: SubmitEvent) => {
    event.preventDefault();
    void save(`/tapes/${tape}/export`, report ? { format } : { format, channels: all || columnar ? null : shown.join(","), lap: lap || null, stream: chosen }, name);
    onClose();
  };
  return (
    <dialog ref={dialog} class="edit export" aria-label="Export" onClose={onClose} onClick={(event) => event.target === dialog.current && onClose()}>
      <form onSubmit={send}>
        <h2>Export</h2>
        <fieldset><legend class="label">Format</legend>
          {FORMATS.map((one) => <label key={one.value} class="check"><input type="radio" name="format" checked={format === one.value} onChange={() => setFormat(one.value)} /> <b>{one.text}</b> <span class="soft">{one.about}</span></label>)}
        </fieldset>
        {report ? <p class="soft">A single file that opens in any browser, offline. It includes the session with all its laps and stays below 15 MB, however long the tape is. A long tape takes a few seconds.</p> : <>
          {columnar ? <label>Stream
            <select value={chosen ?? ""} onChange={(event) => setStream(event.currentTarget.value)}>
              {withChannels.map((one) => <option key={one.name} value={one.name}>{one.name}</option>)}
            </select>
          </label> : <fieldset><legend class="label">Channels</legend>
            <label class="check"><input type="radio" name="channels" checked={!all} onChange={() => setAll(false)} /> the {shown.length} shown</label>
            <label class="check"><input type="radio" name="channels" checked={all} onChange={() => setAll(true)} /> all <span class="soft">(large file)</span></label>
          </fieldset>}
          <label>Lap
            <select value={lap} onChange={(event) => setLap(event.currentTarget.value)}>
              <option value="">whole tape</option>
              {laps.map((one) => <option key={one.id} value={String(one.tape_lap)}>{one.tape_lap}: {one.time_ms != null ? lapTime(one.time_ms) : one.state}</option>)}
            </select>
          </label>
        </>}
        <p class="soft file-name">{name}</p>
        <p class="buttons"><button type="button" onClick={onClose}>Cancel</button><button type="submit" class="main" disabled={columnar ? chosen === null : !report && !all && shown.length === 0}>Export</button></p>
      </form>
    </dialog>
  );
}
