//! Games that report less.
#![allow(clippy::field_reassign_with_default, reason = "pages have too many fields for struct literals")]
use super::*;
use gametape_games::{NO_LAPS, Utf16, ace, acr};

#[test]
fn rally_and_older_evo_have_sessions_without_laps_that_say_so() {
    for (game, with_names) in [("acr", true), ("ace", false)] {
        let mut feed = Feed::new(game);
        for tick in 1..2_000 {
            let mut physics = acr::Physics::default();
            physics.packet_id = tick;
            physics.speed_kmh = 80.0;
            let time_ns = u64::from(tick as u32) * 10_000_000;
            feed.bytes(time_ns, "physics", &acr::PHYSICS_800, physics.as_bytes());
            if with_names {
                let mut names = acr::Static::default();
                names.track = Utf16::new("stage");
                names.car_model = Utf16::new("car");
                feed.bytes(time_ns, "static", &acr::STATIC_820, names.as_bytes());
            }
        }
        let run = feed.end(100, Some(SessionEnd::ToolStop));
        assert_eq!((run.tracked.sessions.len(), run.tracked.laps().count()), (1, 0), "{game}");
        let session = &run.session(0).session;
        assert_eq!((session.remark.as_deref(), session.sector_count), (Some(NO_LAPS), None), "{game}");
        assert_eq!(session.track.as_deref(), with_names.then_some("stage"));
    }
}

#[test]
fn evo_has_laps_of_which_sectors_and_validity_are_not_known() {
    for hz in RATES {
        let mut feed = Feed::new("ace");
        for (time_ns, pages) in
            Simulation::bare(Script::new().lap(&LAP).lap(&LAP).wait(5_000).at(20_000).cut().at(206_000)).sample(hz)
        {
            let shown = &pages.graphics;
            let mut page = ace::Graphics::default();
            (page.packet_id, page.status) = (shown.packet_id, shown.status);
            page.total_lap_count = shown.completed_laps;
            page.current_lap_time_ms = shown.i_current_time;
            page.last_laptime_ms = shown.i_last_time;
            page.npos = shown.normalized_car_position;
            page.car_model = gametape_games::Chars::new("car");
            page.driver_name = gametape_games::Chars::new("Driver");
            page.driver_surname = gametape_games::Chars::new("1");
            let mut statics = ace::Static::default();
            statics.track = gametape_games::Chars::new("track");
            statics.track_length_m = 5_000.0;
            feed.bytes(time_ns, "static", &ace::STATIC_208, statics.as_bytes());
            feed.bytes(time_ns, "graphics", &ace::GRAPHICS_4900, page.as_bytes());
        }
        let run = feed.end(hz, Some(SessionEnd::ToolStop));
        assert_eq!(run.times(), [Some(100_400), Some(100_400)], "{hz} Hz");
        assert!(run.finals().iter().all(|lap| lap.valid.is_none() && lap.sectors.is_empty() && lap.eligible));
        let session = &run.session(0).session;
        assert_eq!(
            (session.track.as_deref(), session.driver.as_deref(), session.remark.as_deref()),
            (Some("track"), Some("Driver 1"), None)
        );
        assert_eq!(run.tracked.tracks[0].length_m, Some(5_000.0));
    }
}
