//! Pauses, replays, spectating.
use super::*;
use gametape_simulator::Status;

#[test]
fn e1_a_pause_is_no_time() {
    for pause in [true, false] {
        let stop = move |script: Script| if pause { script.pause(360_000) } else { script.replay(360_000) };
        let script = || stop(Script::new().at(47_000)).at(0).lap_with_pause();
        each_rate(script, |run| {
            let lap = run.finals()[0];
            assert_eq!(
                (run.ends(), lap.time_ms, lap.time_source),
                (vec![SessionEnd::ToolStop], Some(100_400), Some(TimeSource::Official))
            );
            assert_eq!(
                (sectors(lap), lap.eligible, codes(lap)),
                (LAP.map(Some).to_vec(), true, vec![]),
                "{} Hz {lap:?}",
                run.hz
            );
            let provisional = run.events.iter().find_map(|event| match event {
                Event::LapProvisional(lap) => lap.time_ms,
                _ => None,
            });
            assert!((f64::from(provisional.unwrap()) - 100_400.0).abs() <= run.sample_ms(), "{provisional:?}");
        });
    }
}

trait WithPause {
    fn lap_with_pause(self) -> Self;
}

impl WithPause for Script {
    /// A lap that is paused at 47 s for six minutes. The pause delays everything that the script does after it.
    fn lap_with_pause(self) -> Self {
        let after = 360_000;
        self.glide(1.0 / 3.0, 30_500)
            .at(30_500)
            .set(|board| board.finish_sector(30_500))
            .glide(2.0 / 3.0, 34_700)
            .at(65_200 + after)
            .set(|board| board.finish_sector(65_200))
            .glide(1.0, 35_200)
            .at(100_400 + after)
            .set(|board| board.finish_lap(100_400))
            .position(0.0)
            .wait(5_000)
    }
}

#[test]
fn e3_a_replay_from_the_menu_is_nothing() {
    each_rate(
        || Script::new().status(Status::Replay).lap(&LAP).lap(&LAP).wait(5_000),
        |run| assert_eq!(run.events, []),
    );
}

#[test]
fn e4_laps_of_a_car_that_is_watched_are_nobodys() {
    let script = || {
        Script::new()
            .lap(&LAP)
            .wait(20_000)
            .player_car(1002)
            .at(120_400)
            .sectors(&[30_000, 30_000, 20_000])
            .set(|board| board.finish_lap(90_000))
            .lap(&LAP)
            .player_car(1001)
            .set(|board| {
                board.completed_laps = 1;
                board.last_ms = Some(100_400);
                board.begin_lap(0.0);
                board.position = 0.0;
            })
            .lap(&LAP)
            .wait(5_000)
    };
    each_rate(script, |run| {
        assert_eq!(
            (run.tracked.sessions.len(), run.times()),
            (1, vec![Some(100_400), Some(100_400)]),
            "{} Hz {:?}",
            run.hz,
            run.tracked.laps().collect::<Vec<_>>()
        );
        assert!(run.aborted()[0].has(ReasonCode::Spectating));
    });
    let to_the_end = || Script::new().lap(&LAP).wait(20_000).player_car(1002).wait(30_000);
    each_rate(to_the_end, |run| {
        let stints: Vec<_> = run.session(0).stints.iter().map(|stint| stint.end).collect();
        assert_eq!(stints, [Some(crate::laps::words::StintEnd::End)], "{} Hz", run.hz);
    });
}
