// Messages of the live stream. Events have a sequence number; `car` messages have none, because only the latest matters.

export type State = "driving" | "paused" | "replay" | "menu" | "waiting" | "stale";

export interface Tyre {
  core_c?: number | null;
  pressure_psi?: number | null;
  wear?: number | null;
}

export interface RunningLap {
  id?: string | null;
  number?: number | null;
  tape_lap?: number | null;
  phase?: string | null;
  valid?: boolean | null;
  time_ms?: number | null;
  share?: number | null;
  sector?: number | null;
  sectors_ms?: (number | null)[] | null;
}

export interface LastLap {
  id?: string | null;
  number?: number | null;
  time_ms?: number | null;
  valid?: boolean | null;
  eligible?: boolean | null;
  sectors_ms?: (number | null)[] | null;
}

/** Another car being recorded at the same time. */
export interface OtherCar {
  tape: string;
  session?: string | null;
  game?: string | null;
  track?: string | null;
  car?: string | null;
  driver?: string | null;
}

export interface Car {
  rig?: string | null;
  state: State;
  /** The error of a component other than the recording. */
  error?: string | null;
  at_ns?: number | null;
  tape?: string | null;
  session?: string | null;
  game?: string | null;
  track?: string | null;
  layout?: string | null;
  car?: string | null;
  driver?: string | null;
  lap?: RunningLap | null;
  last_lap?: LastLap | null;
  best_ms?: number | null;
  delta_session_ms?: number | null;
  best_ever_ms?: number | null;
  delta_best_ms?: number | null;
  speed_kmh?: number | null;
  rpm?: number | null;
  rpm_max?: number | null;
  gear?: number | null;
  throttle?: number | null;
  brake?: number | null;
  clutch?: number | null;
  steering?: number | null;
  steering_rad?: number | null;
  fuel_l?: number | null;
  fuel_per_lap_l?: number | null;
  fuel_laps_left?: number | null;
  tyres?: Tyre[] | null;
  world_m?: [number, number, number] | null;
  air_c?: number | null;
  track_c?: number | null;
  race_position?: number | null;
  session_left_ms?: number | null;
  length_m?: number | null;
  /** Present if several cars are being recorded. */
  others?: OtherCar[] | null;
}

export interface Event {
  seq: number;
  kind: string;
  data: Record<string, unknown>;
}

export type Message = Event | { kind: "car"; data: Car };

export const isEvent = (message: Message): message is Event => typeof (message as Event).seq === "number";

/** Parses a message. Returns null if the text is not one. */
export function parse(text: string): Message | null {
  try {
    const message = JSON.parse(text) as Message;
    return message && typeof message.kind === "string" ? message : null;
  } catch {
    return null;
  }
}
