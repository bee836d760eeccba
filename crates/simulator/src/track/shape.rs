//! The shape of the track as constants: control points, hills and sectors.

/// Length of a lap.
const LENGTH_M: f64 = 1580.0;
/// Where sectors 2 and 3 begin, as shares of the lap.
pub(super) const SECTOR_STARTS: [f64; 2] = [0.322, 0.664];
/// Height of the start line above the sea.
pub(super) const HEIGHT_OF_LINE_M: f64 = 112.0;
/// Waves in a lap, their height in metres, where they begin.
pub(super) const HILLS: [(f64, f64, f64); 3] = [(1.0, 5.5, 3.4), (2.0, 2.1, 0.6), (5.0, 0.35, 1.9)];

/// Drawn on paper; the first spans are the start straight, counter-clockwise from the line.
const POINTS: [(f64, f64); 32] = [
    (-51.0, 0.0),
    (17.0, 0.0),
    (85.0, 0.0),
    (153.0, 0.0),
    (221.0, 0.0),
    (289.0, 2.0),
    (340.0, 16.0),
    (366.0, 62.0),
    (366.0, 115.0),
    (368.0, 170.0),
    (352.0, 222.0),
    (310.0, 236.0),
    (278.0, 205.0),
    (272.0, 155.0),
    (250.0, 112.0),
    (200.0, 95.0),
    (148.0, 108.0),
    (100.0, 150.0),
    (45.0, 165.0),
    (-5.0, 140.0),
    (-50.0, 108.0),
    (-105.0, 112.0),
    (-165.0, 140.0),
    (-230.0, 165.0),
    (-298.0, 162.0),
    (-348.0, 125.0),
    (-362.0, 72.0),
    (-340.0, 22.0),
    (-300.0, 1.0),
    (-255.0, 0.0),
    (-187.0, 0.0),
    (-119.0, 0.0),
];

/// The points, made larger or smaller so that a lap has its length.
pub(super) fn scaled_points() -> Vec<(f64, f64)> {
    let drawn = length_of(&POINTS);
    POINTS.iter().map(|(x, z)| (x * LENGTH_M / drawn, z * LENGTH_M / drawn)).collect()
}

fn length_of(points: &[(f64, f64)]) -> f64 {
    const PARTS: usize = 256;
    let parts = points.len() * PARTS;
    (0..parts).map(|part| super::curve_at(points, (part as f64 + 0.5) / PARTS as f64).stretch() / PARTS as f64).sum()
}
