//! Live and from the tape: the same sessions, stints and laps, with the same ids.
use std::sync::{Arc, Mutex};

use gametape_format::StreamSpec;
use gametape_format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape_games::acc;

use super::*;
use crate::capture::{Description, EndReason, ObservedFrame, StopFlag, TapeBegins};
use crate::format::read::Tape;
use crate::laps::track_tape;
use crate::layout::stream_of_layout;
use crate::live::{LapSink, Live, LiveTape};
use gametape_simulator::Status;

const UTC_NS: i64 = 1_700_000_000_000_000_000;

#[derive(Default)]
struct Gather(Mutex<Tracked>);

impl LapSink for Gather {
    fn events(&self, _: &LiveTape, events: Vec<Event>) {
        let mut gathered = self.0.lock().unwrap();
        events.into_iter().for_each(|event| gathered.take(event));
    }

    fn end(&self, _: &LiveTape, skipped: u64) {
        assert_eq!(skipped, 0);
    }
}

/// Stream index, time, and bytes.
pub(super) type Frame = (usize, u64, Vec<u8>);

/// Returns the results of frames live, where all of them arrive, and from a tape, which stores only changes.
pub(super) fn live_and_tape(game: &str, streams: &[StreamSpec], frames: &[Frame]) -> (Tracked, Tracked) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("laps.gtape");
    let options = WriteOptions { start_utc_ns: Some(UTC_NS), ..WriteOptions::new(TapeId([7; 16])) };
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &options, false).unwrap();
    let ids: Vec<_> = streams.iter().map(|stream| tape.add_stream(stream.clone(), 0).unwrap()).collect();
    let sink = Arc::new(Gather::default());
    let mut live = Live::new().laps(sink.clone()).patient(StopFlag::default());
    let mut tap = live.observer().unwrap();
    let mut description = Description::of_game(game);
    description.streams = streams.to_vec();
    tap.begin(&TapeBegins {
        description: &description,
        file: Some((TapeId([7; 16]), &path)),
        utc_ns: UTC_NS,
        replay_of: None,
    });
    let mut newest = vec![Vec::new(); streams.len()];
    for (stream, time_ns, bytes) in frames {
        tap.frame(&ObservedFrame::new(*stream, *time_ns, bytes));
        if newest[*stream] != *bytes {
            tape.append(ids[*stream], *time_ns, bytes).unwrap();
            newest[*stream].clone_from(bytes);
        }
    }
    tap.end(frames.iter().map(|(_, time_ns, _)| *time_ns).max().unwrap(), EndReason::Stopped);
    drop(tap);
    live.wait().unwrap();
    tape.metadata(0, "end_reason", "stopped").unwrap();
    tape.finish().unwrap();
    let gathered = std::mem::take(&mut *sink.0.lock().unwrap());
    (gathered, track_tape(&Tape::open(&path).unwrap()).unwrap())
}

fn pages_of(script: Script, hz: u32) -> (Tracked, Tracked) {
    let pages = [("physics", &acc::PHYSICS_800), ("graphics", &acc::GRAPHICS_1588), ("static", &acc::STATIC_820)];
    let streams = pages.map(|(name, layout)| stream_of_layout(acc::GAME.id, name, "shm", layout));
    let frames = Simulation::bare(script).sample(hz).flat_map(|(time_ns, pages)| {
        let bytes = [pages.physics.as_bytes(), pages.graphics.as_bytes(), pages.static_page.as_bytes()];
        bytes.map(<[u8]>::to_vec).into_iter().enumerate().map(move |(stream, bytes)| (stream, time_ns, bytes))
    });
    live_and_tape(acc::GAME.id, &streams, &frames.collect::<Vec<_>>())
}

fn same(script: impl Fn() -> Script, laps: usize, sessions: usize) {
    for hz in [20, 60] {
        let (live, tape) = pages_of(script(), hz);
        assert_eq!(live.sessions, tape.sessions, "{hz} Hz");
        let finals = tape.laps().filter(|lap| lap.state == LapState::Final).count();
        assert_eq!((finals, tape.sessions.len()), (laps, sessions), "{hz} Hz");
    }
}

#[test]
fn a_stall_is_no_end_of_the_session() {
    same(|| Script::new().lap(&LAP).lap(&LAP).wait(5_000).at(150_000).gap(3_000).at(206_000), 2, 1);
    same(|| Script::new().lap(&LAP).lap(&LAP).wait(5_000).at(98_000).gap(40_000).at(206_000), 2, 1);
}

#[test]
fn a_page_that_stands_for_a_while() {
    same(|| Script::new().lap(&LAP).at(150_000).freeze(20_000).at(170_000).wait(60_000), 1, 1);
}

#[test]
fn off_in_the_middle() {
    let off = |ms| {
        move || {
            // Nothing changes: the tape stores a single page.
            let left = Script::new().lap(&LAP).wait(20_000).status(Status::Off).wait(100).freeze(ms);
            left.status(Status::Live).wait(20_000)
        }
    };
    same(off(1_500), 1, 1);
    same(off(8_000), 1, 2);
}

#[test]
fn a_pause_and_a_restart_into_the_box() {
    let script = || {
        let driven = Script::new().session_length_ms(Some(3_600_000.0)).lap(&LAP).wait(41_000).pause(6_000);
        let out = driven.restart_into_box().wait(20_000).in_box(false).timer_runs(true);
        out.wait(4_000).in_pit_lane(false).wait(30_000)
    };
    same(script, 1, 2);
}

/// As many laps as in a 24-hour race: only the list of laps grows.
#[test]
fn h4_many_laps_and_three_drivers() {
    use gametape_games::{Identity, Pit, Presence};
    let mut tracker = Tracker::new("assetto-corsa-competizione", TapeId([9; 16]));
    let (mut tracked, mut events, mut most) = (Tracked::default(), Vec::new(), 0);
    let (lap_ms, laps) = (12_000_u32, 700_u32);
    let time_of = |lap: u32| lap_ms + lap * 37 % 100;
    let mut begun_ms = 0_u64;
    for lap in 0..=laps {
        let driver = lap / 100 % 3 + 1;
        let identity =
            Identity { revision: lap / 100 + 1, driver: Some(format!("Driver {driver}")), ..Identity::default() };
        let (time_ms, swap) = (time_of(lap), lap > 0 && lap % 100 == 0);
        let mut ms = 10;
        while ms < time_ms && (lap < laps || ms < 5_000) {
            let frame = LapFrame {
                presence: Presence::Live,
                laps_completed: Some(lap),
                running_ms: Some(ms),
                last_ms: lap.checked_sub(1).map(time_of),
                position: Some(ms as f32 / time_ms as f32),
                pit: Some(match ms {
                    ..2_000 if swap => Pit::Box,
                    11_000.. if lap % 100 == 99 => Pit::Lane,
                    _ => Pit::Track,
                }),
                valid: Some(true),
                identity: identity.revision,
                ..LapFrame::default()
            };
            tracker.frame((begun_ms + u64::from(ms)) * 1_000_000, &frame, &identity, &mut events);
            most = most.max(events.len());
            events.drain(..).for_each(|event| tracked.take(event));
            ms += 100;
        }
        begun_ms += u64::from(time_ms);
    }
    tracker.finish(SessionEnd::Game, begun_ms * 1_000_000, &mut events);
    events.drain(..).for_each(|event| tracked.take(event));
    check(&tracked, &[]);
    let finals: Vec<_> = tracked.laps().filter(|lap| lap.state == LapState::Final).collect();
    let official = |lap: &&&Lap| lap.time_ms == Some(time_of(lap.number.unwrap() - 1));
    assert_eq!((finals.len(), finals.iter().filter(official).count(), tracked.sessions.len()), (700, 700, 1));
    let of = |driver: &str| finals.iter().filter(|lap| lap.driver.as_deref() == Some(driver)).count();
    assert_eq!([of("Driver 1"), of("Driver 2"), of("Driver 3")], [300, 200, 200]);
    assert_eq!(tracked.sessions[0].stints.len(), 8);
    assert!(most < 20, "{most} events came with one frame");
}
