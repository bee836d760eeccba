//! Properties of any sequence of frames: no panic, no lap lost, no lap twice, time never runs backwards.
use super::*;
use gametape_games::{BackInTime, Identity, LapRecord, Pit, Presence, SectorValue, SessionKind, Validity};

/// A deterministic random number generator.
struct Chance(std::cell::Cell<u64>);

impl Chance {
    fn new(seed: u64) -> Self {
        Self(std::cell::Cell::new(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)))
    }

    fn next(&self) -> u64 {
        let mut bits = self.0.get();
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        self.0.set(bits);
        bits
    }

    fn below(&self, end: u64) -> u64 {
        self.next() % end
    }

    fn one_in(&self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn maybe<T>(&self, value: T) -> Option<T> {
        (!self.one_in(6)).then_some(value)
    }
}

fn any_frame(chance: &Chance) -> LapFrame {
    let presences = [
        Presence::Live,
        Presence::Live,
        Presence::Live,
        Presence::Live,
        Presence::Paused,
        Presence::Replay,
        Presence::Off,
    ];
    let laps = chance.below(4) as u32;
    let sector = chance.below(5) as u8;
    let pits = [Pit::Track, Pit::Track, Pit::Lane, Pit::Box];
    let running = [0, 1, 50, 4_999, 5_001, 60_000, u32::MAX][chance.below(7) as usize];
    let place = [0.0, 0.01, 0.3, 0.5, 0.99, 1.0][chance.below(6) as usize];
    LapFrame {
        presence: presences[chance.below(7) as usize],
        counter: chance.maybe(chance.next() as i64),
        identity: chance.below(3) as u32,
        names: chance.below(2) as u32,
        kind: SessionKind::ALL[chance.below(3) as usize],
        session_index: chance.maybe(0),
        session_id: chance.maybe(1),
        player_car: chance.maybe(chance.below(2) as i32),
        left_ms: chance.maybe([0.0, 5_000.0, f32::MAX][chance.below(3) as usize]),
        time_of_day_s: chance.maybe([0.0, 40_000.0, 86_399.0][chance.below(3) as usize]),
        game_ms: chance.one_in(2).then(|| [0.0, 1_000.0, 5_000_000.0, f64::MAX][chance.below(4) as usize]),
        laps_completed: chance.maybe(laps),
        running_ms: chance.maybe(running),
        last_ms: chance.maybe([1, 60_000, u32::MAX][chance.below(3) as usize]),
        sector: chance.maybe(sector),
        sector_value: match chance.below(4) {
            0 => SectorValue::Cumulative(u32::MAX),
            1 => SectorValue::Cumulative(30_000),
            2 => SectorValue::Own(20_000),
            _ => SectorValue::None,
        },
        valid: chance.maybe(chance.one_in(2)),
        pit: chance.maybe(pits[chance.below(4) as usize]),
        position: chance.maybe(place),
        distance_m: chance.maybe([0.0, 100.0, f32::MAX][chance.below(3) as usize]),
        on_lap: chance.one_in(9).then_some(false),
        formation: chance.one_in(9).then_some(true),
        best_removed: chance.one_in(20),
        off_track: chance.maybe(chance.one_in(8)),
        incidents: chance.maybe(chance.below(5) as i32),
        caution: chance.maybe(chance.one_in(8)),
        record: chance.one_in(9).then(|| LapRecord {
            lap: chance.below(5) as u32,
            time_ms: chance.maybe([0, 60_000, u32::MAX][chance.below(3) as usize]),
            sectors_ms: [0; 3].map(|_| chance.maybe([0, 20_000, u32::MAX][chance.below(3) as usize])),
            invalid: chance.maybe(chance.one_in(2)),
            counts_for_best: chance.maybe(chance.one_in(2)),
            overrules: chance.one_in(2),
        }),
        back_in_time: match chance.below(20) {
            0 => None,
            1..4 => Some(BackInTime::Flashbacks(chance.below(4) as u32)),
            4 => Some(BackInTime::Rewinds(chance.below(3) as u32)),
            _ => Some(BackInTime::Flashbacks(0)),
        },
        fuel_l: chance.maybe(30.0),
        ..LapFrame::default()
    }
}

fn identities() -> [Identity; 3] {
    let identity = |revision: u32, validity, sectors| Identity {
        revision,
        track: Some(format!("track {}", revision / 2)),
        sector_count: Some(sectors),
        validity,
        ..Identity::default()
    };
    [
        identity(0, Validity::Flag, 3),
        Identity { sector_starts: vec![0.0, 0.4, 0.6], ..identity(1, Validity::OfficialTime, 0) },
        identity(2, Validity::Unknown, 255),
    ]
}

#[test]
fn no_sequence_of_frames_breaks_anything() {
    let identities = identities();
    for seed in 1..=400 {
        let chance = Chance::new(seed);
        let mut feed = Feed::new("acc");
        let mut frame = any_frame(&chance);
        let mut time_ns = 0;
        for _ in 0..600 {
            // Some frames last, so that changes are accepted.
            if chance.one_in(3) {
                frame = any_frame(&chance);
                // Like iRacing: no lap timer, but a session time.
                if seed % 4 == 0 {
                    (frame.running_ms, frame.game_ms) = (None, Some(time_ns as f64 / 1e6));
                }
            } else if let Some(ms) = &mut frame.running_ms {
                *ms = ms.saturating_add(20);
            }
            frame.counter = frame.counter.map(|counter| counter.wrapping_add(1));
            time_ns += [0, 20_000_000, 50_000_000, 4_000_000_000][chance.below(4) as usize];
            // Times may be out of order.
            let told_ns = if chance.one_in(50) { time_ns / 2 } else { time_ns };
            feed.last_ns = feed.last_ns.max(told_ns);
            feed.tracker.frame(told_ns, &frame, &identities[frame.identity as usize], &mut feed.events);
            match chance.below(100) {
                0 => feed.tracker.time_passes(time_ns + 40_000_000_000, &mut feed.events),
                1 => feed.tracker.away(time_ns, time_ns + 3_000_000_000, &mut feed.events),
                _ => {}
            }
        }
        feed.end(20, Some(SessionEnd::ToolStop));
    }
}

/// Laps of a well-behaved game, with everything that may happen around them: each is found once, with its time.
#[test]
fn no_completed_lap_is_lost_and_none_is_found_twice() {
    for seed in 1..=32 {
        let chance = Chance::new(seed);
        // For half of the seeds, lap times are so close to each other that they cannot be told apart by their values.
        let (least_ms, more_ms) = if seed > 16 { (20_000, 166) } else { (8_000, 20_000) };
        let mut script = Script::new().session_length_ms(Some(36_000_000.0));
        let mut driven = Vec::new();
        let mut last_ms = 0;
        for _ in 0..12 {
            let mut lap = [0; 3].map(|_| least_ms + chance.below(more_ms) as u32);
            // The same time twice in a row shows nothing new; another test covers that.
            lap[2] += u32::from(lap.iter().sum::<u32>() == last_ms);
            last_ms = lap.iter().sum();
            let start_ms = script.cursor_ms();
            let end_ms = start_ms + u64::from(last_ms);
            let late_ms = chance.below(130);
            // The lap time may appear slightly after the lap count rises, and the timer may restart slightly before.
            script = match chance.below(4) {
                0 => script
                    .sectors(&lap)
                    .set(|board| {
                        board.completed_laps += 1;
                        board.begin_lap(0.0);
                        board.position = 0.0;
                    })
                    .wait(late_ms)
                    .last_ms(Some(last_ms as i32)),
                1 => script.sectors(&lap).current_ms(0).sector(0).position(0.0).wait(late_ms).set(move |board| {
                    board.completed_laps += 1;
                    board.last_ms = Some(last_ms as i32);
                }),
                2 => script.sectors(&lap).completed_laps(driven.len() as i32 + 1).wait(late_ms).set(move |board| {
                    board.last_ms = Some(last_ms as i32);
                    board.begin_lap(late_ms as f64);
                    board.position = 0.0;
                }),
                _ => script.lap(&lap),
            };
            let resume_ms = script.cursor_ms();
            let at_ms = start_ms + 3_000 + chance.below(u64::from(last_ms) - 6_000);
            script = match chance.below(8) {
                0 => script.at(at_ms).zeroed(1 + chance.below(900)),
                1 => script.at(at_ms).gap(chance.below(3_000)),
                2 => script.at(at_ms).cut(),
                3 => script.at(at_ms).time_left_ms(Some(30_000_000.0)),
                4 => script.at(end_ms.saturating_sub(2_500)).in_pit_lane(true).at(end_ms + 2_000).in_pit_lane(false),
                5 => script.at(at_ms).freeze(1 + chance.below(500)),
                _ => script,
            }
            .at(resume_ms);
            driven.push(last_ms);
        }
        let script = script.wait(5_000);
        let hz = RATES[chance.below(4) as usize];
        let run = run_at(hz, script);
        let counted: Vec<_> = run.finals().iter().map(|lap| lap.number.unwrap() as usize).collect();
        assert_eq!(counted, (1..=driven.len()).collect::<Vec<_>>(), "seed {seed} at {hz} Hz");
        for (lap, driven) in run.finals().iter().zip(&driven) {
            assert_eq!(lap.time_ms, Some(*driven), "seed {seed} at {hz} Hz: {lap:?}");
        }
    }
}
