//! Laps of real recordings: none has a whole lap, so none gets a time.
#![allow(clippy::unwrap_used, missing_docs)]
mod support;

use gametape::format::read::Tape;
use gametape::import::import;
use gametape::laps::{LapState, Phase, SessionEnd, SessionKind, Tracked, track_tape};

fn tracked(data: &std::path::Path, name: &str) -> Tracked {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a.gtape");
    import(&data.join("ibt").join(name), &out, &mut |_| {}).unwrap();
    track_tape(&Tape::open(&out).unwrap()).unwrap()
}

#[test]
fn real_ibt_files_have_parts_of_laps_and_no_invented_times() {
    let Some(data) = support::real_data("real_ibt_files_have_parts_of_laps_and_no_invented_times") else { return };
    let sebring = tracked(&data, "sebring_amg_gt4.ibt");
    assert_eq!(sebring.sessions.len(), 1);
    let session = &sebring.sessions[0].session;
    assert_eq!((session.kind, session.end), (SessionKind::Practice, Some(SessionEnd::StreamEnd)));
    assert!(session.sector_count.is_some_and(|count| count > 6) && session.best_lap.is_none());
    let laps: Vec<_> = sebring.laps().collect();
    assert_eq!(laps.len(), 1, "{laps:?}");
    let codes: Vec<_> = laps[0].reasons.iter().map(|reason| reason.code.as_str()).collect();
    assert_eq!(
        codes,
        ["partial_start", "aborted_garage", "out_lap"],
        "out of the box in the middle of a lap, and towed back"
    );
    assert_eq!(
        (laps[0].state, laps[0].time_ms, laps[0].number, laps[0].phase),
        (LapState::Aborted, None, Some(8), Phase::Out)
    );
    assert!(laps[0].start_ns > 1_000_000_000 && laps[0].end_ns.unwrap().abs_diff(40_100_000_000) < 200_000_000);

    let ring = tracked(&data, "red_bull_ring_w13.ibt");
    assert_eq!((ring.sessions.len(), ring.sessions[0].session.kind), (1, SessionKind::Test));
    assert!(ring.laps().all(|lap| lap.state == LapState::Aborted && lap.time_ms.is_none() && !lap.eligible));
    assert!(ring.laps().all(|lap| lap.sectors.iter().all(|sector| sector.time_ms.is_none())));
    assert!(ring.laps().count() <= 1, "{:?}", ring.laps().collect::<Vec<_>>());
}
