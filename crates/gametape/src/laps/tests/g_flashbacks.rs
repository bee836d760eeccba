//! Formula One: flashbacks, within a lap and over the line.
use super::f1_game::F1Game;
use super::live::live_and_tape;
use super::*;

/// When the car is at 2100 m of a track of 5000 m, in the second sector.
const AT_2100_M: u32 = 39_522;

fn each(check: impl Fn(F1Game)) {
    for format in [2022, 2025] {
        for hz in [20, 60] {
            check(F1Game::new(format, hz));
        }
    }
}

/// Number, state and time of all laps.
fn laps(run: &Run) -> Vec<(u32, LapState, Option<u32>)> {
    run.tracked.laps().map(|lap| (lap.number.unwrap(), lap.state, lap.time_ms)).collect()
}

/// Two laps that differ in the last sector.
const FAST: [u32; 3] = [30_500, 34_700, 25_300];
const SLOW: [u32; 3] = [30_500, 34_700, 38_300];

/// Lap 3 is driven, ends, is reopened from lap 4, and is slower the second time.
fn over_the_line(game: &mut F1Game) {
    game.next = vec![LAP, LAP, FAST];
    game.drive_to(4, 9_000);
    game.next = vec![LAP, LAP, SLOW];
    game.flashback(3, AT_2100_M).drive_to(5, 5_000);
}

#[test]
fn g7_a_flashback_over_the_line_undoes_the_lap_and_continues_the_one_before() {
    each(|mut game| {
        over_the_line(&mut game);
        let run = game.track();
        let context = format!("{} at {} Hz", game.game_id(), run.hz);
        let expected = [
            (1, LapState::Final, Some(100_400)),
            (2, LapState::Final, Some(100_400)),
            (3, LapState::Final, Some(103_500)),
            (4, LapState::Aborted, None),
            (4, LapState::Final, Some(100_400)),
            (5, LapState::Aborted, None),
        ];
        assert_eq!(laps(&run), expected, "{context}");
        assert_eq!(run.ends(), [SessionEnd::ToolStop], "{context}: the session goes on");
        let all: Vec<_> = run.tracked.laps().collect();
        assert_eq!((codes(all[2]), sectors(all[2])), (vec!["flashback"], SLOW.map(Some).to_vec()), "{context}");
        assert!(!all[2].eligible && all[2].valid == Some(true) && all[2].complete, "{:?}", all[2]);
        assert!(all[2].coverage.is_some_and(|seen| seen > 0.98), "{:?}", all[2].coverage);
        assert_eq!((codes(all[3]), all[3].eligible), (vec!["flashback"], false), "undone");
        assert!(all[3].start_ns > all[2].start_ns && all[3].end_ns.unwrap() < all[2].end_ns.unwrap());
        assert_eq!((codes(all[4]), all[4].eligible), (vec![], true), "driven after it");
    });
}

/// The lap that was undone was the best one.
#[test]
fn g7_a_lap_that_was_undone_is_not_a_best() {
    each(|mut game| {
        over_the_line(&mut game);
        let run = game.track();
        assert_eq!(run.best_ms(0), Some(100_400));
        let bests = run.events.iter().filter_map(|event| match event {
            Event::BestChanged { time_ms, .. } => Some(*time_ms),
            _ => None,
        });
        let bests: Vec<_> = bests.collect();
        assert_eq!(bests, [Some(100_400), Some(90_500), Some(100_400)], "set, beaten by the lap, and revoked");
    });
}

#[test]
fn g7_a_lap_is_told_final_once_and_amended_when_it_is_reopened() {
    let mut game = F1Game::new(2025, 60);
    // The history amends laps, too.
    game.sends_history = false;
    over_the_line(&mut game);
    let run = game.track();
    let third = run.tracked.laps().nth(2).unwrap().id;
    let told = run.events.iter().filter_map(|event| match event {
        Event::LapFinal(lap) if lap.id == third => Some(("final", lap.state, lap.time_ms)),
        Event::LapAmended(lap) if lap.id == third => Some(("amended", lap.state, lap.time_ms)),
        _ => None,
    });
    let told: Vec<_> = told.collect();
    let expected = [
        ("final", LapState::Final, Some(90_500)),
        ("amended", LapState::Running, None),
        ("amended", LapState::Final, Some(103_500)),
    ];
    assert_eq!(told, expected);
}

#[test]
fn g7_a_flashback_within_a_lap_continues_it() {
    each(|mut game| {
        game.drive_to(2, 50_000).cut().drive_to(2, 80_000);
        game.flashback(2, AT_2100_M).drive_to(4, 5_000);
        let run = game.track();
        let expected = [(1, LapState::Final), (2, LapState::Final), (3, LapState::Final), (4, LapState::Aborted)];
        assert_eq!(laps(&run).iter().map(|lap| (lap.0, lap.1)).collect::<Vec<_>>(), expected, "{}", game.game_id());
        let lap = run.finals()[1];
        assert_eq!((codes(lap), lap.time_ms, sectors(lap)), (vec!["flashback"], Some(100_400), LAP.map(Some).to_vec()));
        assert_eq!((lap.valid, lap.eligible), (Some(true), false), "the cut was undone, too");
        assert!(!lap.has(ReasonCode::Teleport) && !lap.has(ReasonCode::StreamGap));
        assert_eq!(run.best_ms(0), Some(100_400), "lap 3");
    });
}

/// A flashback to the first seconds of a lap looks like a timer that restarts.
#[test]
fn a_flashback_to_the_beginning_of_a_lap_continues_it() {
    each(|mut game| {
        game.drive_to(2, 30_000).flashback(2, 2_000).drive_to(3, 5_000);
        let run = game.track();
        let states: Vec<_> = laps(&run).iter().map(|lap| (lap.0, lap.1)).collect();
        assert_eq!(states, [(1, LapState::Final), (2, LapState::Final), (3, LapState::Aborted)], "{}", game.game_id());
        assert_eq!(codes(run.finals()[1]), ["flashback"]);
    });
}

#[test]
fn flashbacks_follow_each_other() {
    each(|mut game| {
        // Back over the line twice, the second time further, and once more within the lap.
        game.drive_to(3, 6_000).flashback(2, 90_000).drive_to(3, 4_000).flashback(2, 70_000);
        game.drive_to(2, 95_000).flashback(2, 85_000).drive_to(4, 5_000);
        let run = game.track();
        let finals: Vec<_> = run.finals().iter().map(|lap| (lap.number, lap.time_ms, codes(lap))).collect();
        let expected = [
            (Some(1), Some(100_400), vec!["grid_start"]),
            (Some(2), Some(100_400), vec!["flashback"]),
            (Some(3), Some(100_400), vec![]),
        ];
        assert_eq!(finals, expected, "{}", game.game_id());
        assert_eq!(run.aborted().len(), 3, "lap 3 twice, and lap 4 at the end");
    });
}

/// The event is lost: the number of the frame goes back.
#[test]
fn a_flashback_without_its_event_is_recognised() {
    each(|mut game| {
        game.sends_events = false;
        over_the_line(&mut game);
        let run = game.track();
        assert_eq!(run.times(), [100_400, 100_400, 103_500, 100_400].map(Some), "{}", game.game_id());
        assert!(run.finals()[2].has(ReasonCode::Flashback));
    });
}

/// A session that ends in a lap that was reopened: the lap has no result any more.
#[test]
fn a_reopened_lap_in_which_the_session_ends_is_aborted() {
    let mut game = F1Game::new(2025, 60);
    game.drive_to(3, 9_000).flashback(2, 80_000).drive(3_000);
    let run = game.track();
    let states: Vec<_> = laps(&run).iter().map(|lap| (lap.0, lap.1)).collect();
    assert_eq!(states, [(1, LapState::Final), (2, LapState::Aborted), (3, LapState::Aborted)]);
    assert_eq!(run.best_ms(0), None);
}

#[test]
fn g7_a_tape_gives_the_same_laps_as_the_running_game() {
    let mut game = F1Game::new(2025, 20);
    over_the_line(&mut game);
    let (live, tape) = live_and_tape(game.game_id(), &game.sent.streams(), &game.sent.frames);
    assert_eq!(live.sessions, tape.sessions);
    assert_eq!(tape.laps().filter(|lap| lap.state == LapState::Final).count(), 4);
}

/// What was undone is not part of the lap: neither its times nor its channels.
#[test]
fn g7_the_samples_of_a_lap_are_those_that_count() {
    let mut game = F1Game::new(2025, 60);
    over_the_line(&mut game);
    // 4000 m are two fifths of the last sector.
    let at_4000_m = game.sent.time_at_m(3, 4_000);
    let expected = f64::from(SLOW[0] + SLOW[1]) + 0.4 * f64::from(SLOW[2]);
    assert!((at_4000_m - expected).abs() < 20.0, "{at_4000_m} of {expected}");
    assert!(
        (game.sent.time_at_m(3, 2_500) - 47_850.0).abs() < 20.0,
        "just after the moment to which the player returned"
    );
}

/// The store has the lap that was reopened with its last result, and the one that was undone as aborted. Neither is a best.
#[test]
fn g7_the_store_keeps_no_result_of_what_was_undone() {
    use crate::live::{KeepLaps, LapSink, LiveTape};
    use crate::store::{Audience, Store};
    let folder = tempfile::tempdir().unwrap();
    let store = std::sync::Arc::new(crate::store::open(folder.path().join("laps.sqlite").to_str().unwrap()).unwrap());
    let mut game = F1Game::new(2025, 20);
    over_the_line(&mut game);
    let run = game.track();
    let session = run.session(0).session.id;
    let keep = KeepLaps::new(store.clone(), false, |_: &LiveTape, _: crate::live::Announced<'_>| {});
    let tape = LiveTape {
        id: TapeId([7; 16]),
        path: folder.path().join("laps.gtape"),
        game: game.game_id().into(),
        replay_of: None,
    };
    // One by one, as while recording.
    run.events.iter().cloned().for_each(|event| keep.events(&tape, vec![event]));
    let stored = store.session(session, Audience::Owner).unwrap().unwrap();
    let laps: Vec<_> =
        stored.laps.iter().map(|stored| (stored.lap.number, stored.lap.state, stored.lap.time_ms)).collect();
    let expected = run.tracked.laps().map(|lap| (lap.number, lap.state, lap.time_ms));
    assert_eq!(laps, expected.collect::<Vec<_>>());
    assert_eq!(stored.session.best_ms, Some(100_400));
}
