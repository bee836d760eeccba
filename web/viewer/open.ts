// Opens tapes and follows them through their stages: overview from the index, laps, then everything. Keeps what is known of each and notifies the
// page. No DOM.

import { type Report, readReport } from "../report/data";
import { hasField } from "./field_read";
import type { Field } from "./field";
import { type Problem, problemOf } from "./problem";
import { type Place, nameOf } from "./source";
import { OpenTape, type Peer } from "./tape";

export type Stage = "opening" | "laps" | "traces" | "done" | "failed";

export interface Shown {
  key: string;
  name: string;
  tape: OpenTape;
  stage: Stage;
  /** How much of this stage is done, 0 to 1. */
  part: number;
  report: Report | null;
  /** Parts of the tape that cannot be read. */
  damage: string[];
  /** Why it went no further. */
  problem: Problem | null;
  field: Field | null;
}

const NO_LINES: Report["lines"] = { from_ns: 0, stretch_ns: 1, stretches: 1, channels: [], laps: [] };

export class Tapes {
  all: readonly Shown[] = [];
  private count = 0;

  constructor(private readonly start: () => Peer, private readonly onChange: () => void) {}

  /** Opens a tape. Returns its key at once. */
  open(place: Place): string {
    this.count += 1;
    const key = String(this.count);
    const name = nameOf(place);
    const tape = new OpenTape(name, place, this.start);
    this.all = [...this.all, { key, name, tape, stage: "opening", part: 0, report: null, damage: [], problem: null, field: null }];
    this.onChange();
    void this.follow(key, tape).catch((error: unknown) => this.set(key, { problem: problemOf(error), stage: "failed" }));
    return key;
  }

  close(key: string): void {
    this.all.find((one) => one.key === key)?.tape.close();
    this.all = this.all.filter((one) => one.key !== key);
    this.onChange();
  }

  private set(key: string, changed: Partial<Shown>) {
    if (!this.all.some((one) => one.key === key)) return;
    this.all = this.all.map((one) => (one.key === key ? { ...one, ...changed } : one));
    this.onChange();
  }

  private tell(key: string, damage: readonly string[]) {
    const known = this.all.find((one) => one.key === key)?.damage ?? [];
    this.set(key, { damage: [...new Set([...known, ...damage])] });
  }

  private async follow(key: string, tape: OpenTape) {
    const onPart = (part: number) => this.set(key, { part });
    this.set(key, { name: (await tape.open()).name });
    const { document, lines, streams, damage } = await tape.ask({ what: "overview" });
    const base: Report = { ...document, key, lines: { ...NO_LINES, ...lines } };
    this.tell(key, damage);
    this.set(key, { report: base, stage: "laps", part: 0 });
    if (document.game !== null && hasField(document.game, streams)) void this.field(key, tape, document.game);

    const laps = await tape.ask({ what: "laps" }, onPart);
    this.tell(key, laps.damage);
    if (laps.text !== null) this.set(key, { report: readReport(JSON.stringify({ ...base, ...JSON.parse(laps.text), lines: undefined }), base.lines) });
    this.set(key, { stage: "traces", part: 0 });

    const whole = await tape.ask({ what: "report" }, onPart);
    this.tell(key, whole.damage);
    this.set(key, { report: { ...readReport(whole.text), key, made_by: base.made_by }, stage: "done", part: 1 });
  }

  private async field(key: string, tape: OpenTape, game: string) {
    try {
      this.set(key, { field: await tape.aside({ what: "field", game }) });
    } catch (error) {
      this.tell(key, [problemOf(error).text]);
    }
  }
}

