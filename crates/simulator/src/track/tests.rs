use super::*;

#[test]
fn the_track_is_closed_smooth_and_of_its_length() {
    let track = Track::ring();
    assert!((track.length_m() - 1580.0).abs() < 0.01, "{}", track.length_m());
    let step = 0.25;
    let mut walked = 0.0;
    let mut turned = 0.0;
    for index in 0..(track.length_m() / step) as usize {
        let (a, b) = (track.at(index as f64 * step), track.at((index + 1) as f64 * step));
        walked += (b.x - a.x).hypot(b.z - a.z);
        turned += a.curvature * step;
        let along = ((b.x - a.x) * a.tangent.0 + (b.z - a.z) * a.tangent.1) / step;
        assert!((0.999..1.001).contains(&along), "at {} m: {along}", index as f64 * step);
        assert!((b.curvature - a.curvature).abs() < 0.0015, "curvature jumps at {} m", index as f64 * step);
    }
    assert!((walked - track.length_m()).abs() < 0.5, "{walked}");
    // One turn to the left in all: the line does not cross itself an odd number of times.
    assert!((turned - std::f64::consts::TAU).abs() < 0.01, "{turned}");
    let (end, start) = (track.at(track.length_m() - 1e-6), track.at(0.0));
    assert!((end.x - start.x).hypot(end.z - start.z) < 1e-3);
}

#[test]
fn the_track_never_meets_itself() {
    let track = Track::ring();
    let places: Vec<TrackPoint> = (0..1580).step_by(5).map(|metre| track.at(f64::from(metre))).collect();
    for (i, a) in places.iter().enumerate() {
        for (j, b) in places.iter().enumerate().skip(i + 1) {
            let apart_m = (j - i).min(places.len() - (j - i)) * 5;
            if apart_m > 150 {
                assert!((a.x - b.x).hypot(a.z - b.z) > 30.0, "{} m and {} m", i * 5, j * 5);
            }
        }
    }
}

#[test]
fn the_pit_lane_lies_beside_a_straight_and_joins_smoothly() {
    let track = Track::ring();
    let lane = track.pit_lane();
    for metre in -190..170 {
        let curvature = track.at(f64::from(metre)).curvature;
        assert!(curvature.abs() < 1.0 / 250.0, "{metre} m: {curvature}");
    }
    assert_eq!((lane.line_m(-191.0), lane.line_m(0.0), lane.line_m(171.0)), (0.0, 13.0, 0.0));
    assert!(lane.is_within(-1.0) && lane.is_within(1579.0) && lane.is_within(25.0));
    assert!(!lane.is_within(1000.0) && !lane.is_within(96.0) && !lane.is_within(-131.0));
}

#[test]
fn slope_and_bend_are_the_derivatives_of_the_height() {
    let track = Track::ring();
    for metre in (0..1580).step_by(37) {
        let at = f64::from(metre);
        let (before, here, after) = (track.height(at - 0.1), track.height(at), track.height(at + 0.1));
        assert!(((after.y - before.y) / 0.2 - here.slope).abs() < 1e-6);
        assert!(((after.slope - before.slope) / 0.2 - here.bend).abs() < 1e-6);
        assert!(here.slope.abs() < 0.06, "{}", here.slope);
    }
}

#[test]
fn there_are_corners_to_both_sides() {
    let track = Track::ring();
    let corners = track.corners();
    assert!((6..=14).contains(&corners.len()), "{corners:?}");
    assert!(corners.iter().any(|corner| corner.curvature > 0.0) && corners.iter().any(|corner| corner.curvature < 0.0));
}
