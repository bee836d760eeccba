//! Forza, Gran Turismo, rally stages, Automobilista 2 and Project CARS.
use super::live::live_and_tape;
use super::sent::{Packet, Sent};
use super::*;
use crate::laps::words::SectorSource;

/// A step of Forza at 60 Hz.
const STEP_MS: u64 = 16;

/// Forza Motorsport or Horizon: a car at constant speed, with laps of 60 s.
struct Forza {
    sent: Sent,
    ms: u64,
    race_ms: u32,
    lap_ms: u32,
    laps: u16,
    last_s: f32,
    /// States of the past, for rewinds.
    past: Vec<(u32, u32, u16, f32)>,
    free_roam: bool,
}

impl Forza {
    fn new(game: &str) -> Self {
        let sent = Sent::new(game);
        Self { sent, ms: 0, race_ms: 0, lap_ms: 0, laps: 0, last_s: 0.0, past: Vec::new(), free_roam: false }
    }

    fn send(&mut self) {
        let stream = self.sent.game.streams[0].name;
        let mut packet = self.sent.packet(stream);
        packet.set("IsRaceOn", 1.0);
        packet.set("TimestampMS", self.ms as f64);
        packet.set("CarOrdinal", 3_545.0);
        packet.set("Speed", 50.0);
        packet.set("Position", 100.0 + f64::from(self.lap_ms) / 100.0);
        if !self.free_roam {
            packet.set("DistanceTraveled", f64::from(self.race_ms) / 20.0);
            packet.set("CurrentLap", f64::from(self.lap_ms) / 1000.0);
            packet.set("CurrentRaceTime", f64::from(self.race_ms) / 1000.0);
            packet.set("LastLap", self.last_s.into());
            packet.set("LapNumber", self.laps.into());
            packet.set("RacePosition", 4.0);
        }
        self.sent.send(stream, self.ms, packet);
    }

    /// Drives to a moment of a lap, counted from 1.
    fn drive_to(&mut self, lap: u16, lap_ms: u32) -> &mut Self {
        while (self.laps + 1, self.lap_ms) < (lap, lap_ms) {
            self.step();
        }
        self
    }

    fn step(&mut self) {
        self.ms += STEP_MS;
        self.race_ms += STEP_MS as u32;
        self.lap_ms += STEP_MS as u32;
        if self.lap_ms >= 60_000 {
            (self.laps, self.lap_ms, self.last_s) =
                (self.laps + 1, self.lap_ms - 60_000, 60.0 + f32::from(self.laps) / 8.0);
        }
        self.past.push((self.race_ms, self.lap_ms, self.laps, self.last_s));
        self.send();
    }

    /// Rewinds the race by some frames, at once or frame by frame.
    fn rewind(&mut self, frames: usize, at_once: bool) -> &mut Self {
        for frame in 1..=frames {
            self.past.pop();
            (self.race_ms, self.lap_ms, self.laps, self.last_s) = *self.past.last().unwrap();
            self.ms += if at_once { 0 } else { STEP_MS };
            if !at_once || frame == frames {
                self.send();
            }
        }
        self
    }
}

fn numbers(run: &Run) -> Vec<(Option<u32>, LapState, Option<u32>)> {
    run.tracked.laps().map(|lap| (lap.number, lap.state, lap.time_ms)).collect()
}

const GAMES: [&str; 2] = ["forza-motorsport", "forza-horizon"];

#[test]
fn g11_the_last_lap_of_forza_ends_with_its_time() {
    for game in GAMES {
        let mut forza = Forza::new(game);
        forza.drive_to(2, 59_984);
        assert_eq!((forza.laps, forza.lap_ms), (1, 59_984), "just before the flag");
        // At the flag the lap number stays, and the last lap time changes.
        forza.last_s = 60.125;
        for _ in 0..200 {
            (forza.ms, forza.race_ms) = (forza.ms + STEP_MS, forza.race_ms + STEP_MS as u32);
            forza.send();
        }
        let run = forza.sent.track(60);
        let laps = [(Some(1), LapState::Final, Some(60_000)), (Some(2), LapState::Final, Some(60_125))];
        assert_eq!(numbers(&run)[..2], laps, "{game}");
        assert_eq!(run.finals().len(), 2, "{game}");
    }
}

#[test]
fn g12_a_rewind_keeps_the_lap() {
    for (game, at_once) in GAMES.into_iter().flat_map(|game| [(game, true), (game, false)]) {
        let mut forza = Forza::new(game);
        forza.drive_to(2, 30_000).rewind(250, at_once).drive_to(4, 5_000);
        let run = forza.sent.track(60);
        let states: Vec<_> = numbers(&run).iter().map(|lap| (lap.0, lap.1)).collect();
        let expected = [(1, LapState::Final), (2, LapState::Final), (3, LapState::Final), (4, LapState::Aborted)];
        assert_eq!(states, expected.map(|(number, state)| (Some(number), state)), "{game}");
        let lap = run.finals()[1];
        assert_eq!((lap.time_ms, codes(lap), lap.eligible), (Some(60_125), vec!["rewind"], false), "{game}");
        assert!(run.finals()[2].eligible, "{game}: the next lap");
    }
}

/// The same over the line, and to the first seconds of a lap.
#[test]
fn g12_a_rewind_over_the_line_undoes_the_lap() {
    for (game, at_once) in GAMES.into_iter().flat_map(|game| [(game, true), (game, false)]) {
        let mut forza = Forza::new(game);
        forza.drive_to(3, 4_000).rewind(500, at_once).drive_to(3, 6_000).rewind(250, at_once).drive_to(4, 5_000);
        let run = forza.sent.track(60);
        let expected = [
            (Some(1), LapState::Final, Some(60_000)),
            (Some(2), LapState::Final, Some(60_125)),
            (Some(3), LapState::Aborted, None),
            (Some(3), LapState::Final, Some(60_250)),
            (Some(4), LapState::Aborted, None),
        ];
        assert_eq!(numbers(&run), expected, "{game}, at once {at_once}");
        assert_eq!(run.ends(), [SessionEnd::ToolStop], "{game}");
        let finals = run.finals();
        assert!(finals[1].has(ReasonCode::Rewind) && finals[2].has(ReasonCode::Rewind) && !finals[1].eligible);
    }
}

#[test]
fn g13_free_roam_is_no_session() {
    let mut forza = Forza::new("forza-horizon");
    forza.free_roam = true;
    forza.drive_to(2, 30_000);
    assert_eq!(forza.sent.track(60).events, []);
    forza.free_roam = false;
    forza.drive_to(3, 5_000);
    assert_eq!(forza.sent.track(60).sessions().len(), 1, "an event");
}

/// Gran Turismo 7, packet A: laps of 60 s, at 60 packets a second.
fn gran_turismo(flags_of: impl Fn(u32) -> u16) -> Sent {
    let mut sent = Sent::new("gran-turismo-7");
    for number in 0..10_000_u32 {
        let mut packet = sent.packet("a");
        packet.bytes(b"0S7G", "magic");
        packet.set("packetId", number.into());
        packet.set("flags", flags_of(number).into());
        packet.set("carCode", 3_311.0);
        let lap = number / 3_600 + 1;
        packet.set("currentLap", lap.into());
        packet.set("totalLaps", 9.0);
        packet.set("lastLapTime", if lap > 1 { 60_000.0 + f64::from(lap) } else { -1.0 });
        packet.set("speed", 50.0);
        sent.send("a", u64::from(number) * 50 / 3, packet);
    }
    sent
}

#[test]
fn laps_of_gran_turismo_need_the_flag_for_being_on_track() {
    let run = gran_turismo(|_| 0b1001).track(60);
    assert_eq!(run.times(), [Some(60_002), Some(60_003)]);
    // The demo car of a menu has laps and speeds, too.
    for flags in [0x0018, 0x0010, 0x0038] {
        assert_eq!(gran_turismo(|_| flags).track(60).events, [], "{flags:#x}");
    }
    // Loading between two drives: another session.
    let run = gran_turismo(|number| if (4_000..4_200).contains(&number) { 0b1101 } else { 0b1001 }).track(60);
    assert_eq!(run.sessions().len(), 2);
}

/// DiRT Rally 2.0: a stage of 200 s. `leaves_at` is the progress at which the stage is left.
fn stage(leaves_at: f64, penalty_s: f64) -> Sent {
    let mut sent = Sent::new("dirt-rally");
    let mut ms = 0;
    for step in 0..12_500_u32 {
        ms = u64::from(step) * STEP_MS;
        let time_s = f64::from(step) * 0.016;
        let progress = time_s / 199.99;
        let mut packet = sent.packet("telemetry");
        if progress >= leaves_at {
            break;
        }
        let penalty_s = if progress > 0.5 { penalty_s } else { 0.0 };
        packet.set("totalTime", 10.0 + time_s);
        packet.set("lapTime", time_s + penalty_s);
        packet.set("lapDistance", progress * 5_000.0);
        packet.set("progress", progress);
        packet.set("trackLength", 5_000.0);
        packet.set("speed", 25.0);
        packet.set("maximumEngineSpeed", 837.75);
        packet.set("idleEngineSpeed", 151.75);
        packet.set("gears", 5.0);
        packet.set("totalLaps", 1.0);
        let sector = f64::from(u8::from(progress > 0.2) + u8::from(progress > 0.5) + u8::from(progress > 0.75));
        packet.set("sector", sector);
        packet.set("sector1Time", if sector >= 1.0 { 39.998 } else { 0.0 });
        packet.set("sector2Time", if sector >= 2.0 { 59.997 + penalty_s } else { 0.0 });
        sent.send("telemetry", ms, packet);
    }
    for step in 1..100 {
        let packet = sent.packet("telemetry");
        sent.send("telemetry", ms + step * STEP_MS, packet);
    }
    sent
}

#[test]
fn a_stage_is_a_lap_with_its_splits() {
    let run = stage(1.0, 0.0).track(60);
    let lap = run.finals()[0];
    assert!(lap.time_ms.unwrap().abs_diff(199_990) <= 2, "{:?}", lap.time_ms);
    let times: Vec<_> = lap.sectors.iter().map(|sector| sector.time_ms.unwrap()).collect();
    assert_eq!(times[..2], [39_998, 59_997]);
    assert!(times[2..].iter().all(|ms| ms.abs_diff(49_997) <= 40), "{times:?}: read off the clock");
    assert_eq!((run.finals().len(), run.aborted().len(), run.ends().len()), (1, 0, 1));
}

#[test]
fn a_penalty_is_part_of_the_stage_time() {
    let run = stage(1.0, 15.0).track(60);
    assert!(run.finals()[0].time_ms.unwrap().abs_diff(214_990) <= 2, "{:?}", run.finals()[0]);
    assert_eq!((run.finals().len(), run.aborted().len()), (1, 0));
}

#[test]
fn a_stage_that_is_left_is_aborted() {
    let run = stage(0.9, 0.0).track(60);
    assert_eq!((run.finals().len(), run.aborted().len()), (0, 1), "{:?}", numbers(&run));
    assert_eq!(run.best_ms(0), None);
}

/// Automobilista 2: laps of [`LAP`] at 20 Hz. Time stats come `late_ms` after the end of a sector.
fn automobilista(laps: u64, late_ms: u64) -> Sent {
    let mut sent = Sent::new("automobilista-2");
    let header = |packet: &mut Packet, number: u64, packet_type: u8| {
        packet.set("mPacketNumber", number as f64);
        packet.bytes(&[1, 1, packet_type, 1], "mPartialPacketIndex");
    };
    let lap_ms = u64::from(LAP.iter().sum::<u32>());
    let ends = [u64::from(LAP[0]), u64::from(LAP[0] + LAP[1]), lap_ms];
    for tick in 0..(laps * lap_ms + 6_000) / 50 {
        let ms = tick * 50;
        let along_ms = ms % lap_ms;
        if tick % 20 == 0 {
            let mut packet = sent.packet("game-state");
            header(&mut packet, tick, 4);
            packet.bytes(&[0x52], "mGameState");
            sent.send("game-state", ms, packet);
            let mut packet = sent.packet("race-definition");
            header(&mut packet, tick, 1);
            packet.set("sTrackLength", 4_000.0);
            packet.bytes(b"Test Track", "sTrackLocation");
            sent.send("race-definition", ms, packet);
        }
        let mut packet = sent.packet("timings");
        header(&mut packet, tick, 3);
        packet.set("sNumParticipants", 1.0);
        packet.set("sParticipants[0].sCurrentLapDistance", along_ms as f64 / lap_ms as f64 * 4_000.0);
        let sector = ends.iter().filter(|end| along_ms >= **end).count() as u8;
        packet.bytes(&[0x82, sector, 0, 0], "sParticipants[0].sRacePosition");
        packet.bytes(&[2, (ms / lap_ms) as u8 + 1], "sParticipants[0].sRaceState");
        packet.set("sParticipants[0].sCurrentTime", along_ms as f64 / 1000.0);
        packet.set("sParticipants[0].sMPParticipantIndex", 4.0);
        packet.set("sLocalParticipantIndex", 4.0);
        sent.send("timings", ms, packet);
        // The times as they were a moment ago.
        let seen_ms = ms.saturating_sub(late_ms);
        let ended = (seen_ms / lap_ms) * 3 + ends.iter().filter(|end| seen_ms % lap_ms >= **end).count() as u64;
        let mut packet = sent.packet("time-stats");
        header(&mut packet, tick, 7);
        let seconds = |ms: u32| (f64::from(ms) / 1000.0) as f32;
        let last = if seen_ms >= lap_ms { seconds(lap_ms as u32) } else { -1.0 };
        // A little more in the second lap, so that the times differ.
        let more = (seen_ms / lap_ms).saturating_sub(1) as f32 / 64.0;
        let last_sector = if ended == 0 { -1.0 } else { seconds(LAP[(ended as usize - 1) % 3]) };
        let times: Vec<u8> = [last, last + more, last_sector].iter().flat_map(|time| time.to_le_bytes()).collect();
        packet.bytes(&times, "sParticipants[0].sFastestLapTime");
        packet.set("sParticipants[0].sMPParticipantIndex", 4.0);
        sent.send("time-stats", ms, packet);
    }
    sent
}

#[test]
fn automobilista_has_the_official_time_of_the_last_sector() {
    let sources = |lap: &Lap| lap.sectors.iter().map(|sector| sector.source).collect::<Vec<_>>();
    for late_ms in [0, 50, 400] {
        let sent = automobilista(2, late_ms);
        let run = sent.track(20);
        let lap = run.finals()[0];
        assert_eq!((lap.time_ms, sectors(lap)), (Some(100_400), LAP.map(Some).to_vec()), "{late_ms}");
        assert_eq!(sources(lap), [SectorSource::Official; 3], "{late_ms}");
        let (live, tape) = live_and_tape(sent.game.id, &sent.streams(), &sent.frames);
        assert_eq!(live.sessions, tape.sessions);
    }
    // The second lap is some milliseconds longer than its sectors: they are not taken as they are.
    let run = automobilista(2, 50).track(20);
    assert_eq!(sources(run.finals()[1])[2], SectorSource::Differenced);
}

/// Project CARS has no packet counter: what comes after a silence decides whether the game was paused.
#[test]
fn a_silent_pause_is_no_end_whatever_is_sent_first_after_it() {
    let mut sent = Sent::new("project-cars");
    let mut ms = 0;
    for tick in 0..2_000_u64 {
        ms += 50;
        if tick == 1_000 {
            ms += 120_000;
            let mut packet = sent.packet("participants");
            packet.bytes(b"Test Track", "sTrackLocation");
            sent.send("participants", ms, packet);
        }
        let mut packet = sent.packet("telemetry");
        packet.bytes(&[0x52, 0, 1], "sGameSessionState");
        packet.set("sRaceStateFlags", 2.0);
        packet.bytes(&[-1.0_f32, tick as f32 / 20.0].map(f32::to_le_bytes).concat(), "sLastLapTime");
        packet.set("sTrackLength", 4_000.0);
        packet.set("sParticipantInfo[0].sCurrentLapDistance", tick as f64);
        packet.bytes(&[0x82, 0, 1, 0x51], "sParticipantInfo[0].sRacePosition");
        sent.send("telemetry", ms, packet);
    }
    let run = sent.track(20);
    assert_eq!((run.ends(), run.tracked.laps().count()), (vec![SessionEnd::ToolStop], 1), "{:?}", numbers(&run));
    let lap = run.tracked.laps().next().unwrap();
    assert!(!lap.has(ReasonCode::StreamGap), "{:?}", codes(lap));
}
