//! Converts directions to a rotation and back. A rotation matrix has the columns left, up, forward.
//!
//! The game rounds directions to thousandths, so they no longer form an exact rotation. The conversion searches for a rotation that rounds
//! to the same thousandths. One exists near the rounded directions, because the game had one before it rounded.

use telemetry_v2::{Quat, Vec3};

/// A direction.
pub(super) type Vector = [f64; 3];
/// Left, up and forward.
pub(super) type Basis = [Vector; 3];

/// Maximum distance of a component from its thousandth to be rounded to it; slightly less than half, because quaternions have 32 bits.
const REACH: f64 = 0.000_499_7;
const MAX_STEPS: usize = 8000;
/// After this many steps the search is hopeless unless the worst component is nearly right.
const EARLY_STEPS: usize = 100;
const NEARLY: f64 = 0.000_02;
/// Factor by which each step overshoots: there is more room beyond the bound than at it.
const STRIDE: f64 = 1.8;

/// Returns the number of thousandths, if the game's number is a multiple of a thousandth.
pub(super) fn thousandths(value: f32) -> Option<i32> {
    let steps = (f64::from(value) * 1000.0).round();
    if steps.abs() > 16_000_000.0 {
        return None;
    }
    let steps = steps as i32;
    // Eight digits do not distinguish all adjacent values.
    let is_near = of_thousandths(steps).to_bits().abs_diff(value.to_bits()) <= 1;
    (is_near || (value == 0.0 && steps == 0)).then_some(steps)
}

/// Converts thousandths to a number like the game does.
pub(super) fn of_thousandths(steps: i32) -> f32 {
    steps as f32 * 0.001f32
}

/// Returns a component of a direction as parsed from a response: thousandths, printed with eight digits.
fn as_printed(steps: i32) -> f32 {
    let scale = match steps.unsigned_abs() {
        0..10 => 1e10,
        10..100 => 1e9,
        100..1000 => 1e8,
        _ => 1e7,
    };
    ((f64::from(of_thousandths(steps)) * scale).round() / scale) as f32
}

/// Returns the rotation for directions; all zeros without directions.
pub(super) fn to_quat(basis: &Basis) -> Quat {
    // Exact thousandths, so that the rotation does not depend on their formatting.
    let meant = |value: f64| thousandths(value as f32).map(|steps| f64::from(steps) / 1000.0);
    let on_grid = basis.iter().flatten().all(|value| meant(*value).is_some());
    let basis = if on_grid { basis.map(|column| column.map(|value| meant(value).unwrap_or(value))) } else { *basis };
    let Some(mut rotation) = nearest(&basis) else { return Quat::default() };
    if on_grid {
        rotation = fitted(rotation, &basis);
    }
    // Two quaternions represent the same rotation; take the one whose last nonzero component is positive.
    if rotation.iter().rev().find(|value| **value != 0.0).is_some_and(|value| *value < 0.0) {
        rotation = rotation.map(|value| -value);
    }
    let [x, y, z, w] = rotation.map(|value| value as f32);
    Quat { x, y, z, w }
}

/// Returns the directions of a rotation; multiples of a thousandth if `on_grid`.
pub(super) fn to_basis(quat: &Quat, on_grid: bool) -> Basis {
    let rotation = [quat.x, quat.y, quat.z, quat.w].map(f64::from);
    let value = |value: f64| {
        let short = if on_grid { as_printed((value * 1000.0).round() as i32) } else { value as f32 };
        f64::from(short)
    };
    directions(&rotation).map(|column| column.map(value))
}

/// Converts up to three numbers to a vector; missing ones are 0.
pub(super) fn vec3(values: &[f64]) -> Vec3 {
    let at = |place: usize| values.get(place).map_or(0.0, |value| *value as f32);
    Vec3 { x: at(0), y: at(1), z: at(2) }
}

/// Returns the directions of a quaternion of any length.
fn directions(&[x, y, z, w]: &[f64; 4]) -> Basis {
    let length = x * x + y * y + z * z + w * w;
    if length == 0.0 || !length.is_finite() {
        return Basis::default();
    }
    let s = 2.0 / length;
    [
        [1.0 - s * (y * y + z * z), s * (x * y + w * z), s * (x * z - w * y)],
        [s * (x * y - w * z), 1.0 - s * (x * x + z * z), s * (y * z + w * x)],
        [s * (x * z + w * y), s * (y * z - w * x), 1.0 - s * (x * x + y * y)],
    ]
}

/// Converts an approximate rotation matrix. Starts with the largest component to avoid dividing by small numbers.
fn nearest(basis: &Basis) -> Option<[f64; 4]> {
    if basis.iter().flatten().any(|value| !value.is_finite()) {
        return None;
    }
    let [[m00, m10, m20], [m01, m11, m21], [m02, m12, m22]] = *basis;
    let (xx, yy, zz, ww) = (1.0 + m00 - m11 - m22, 1.0 - m00 + m11 - m22, 1.0 - m00 - m11 + m22, 1.0 + m00 + m11 + m22);
    let rotation = if ww >= xx && ww >= yy && ww >= zz {
        [m21 - m12, m02 - m20, m10 - m01, ww]
    } else if xx >= yy && xx >= zz {
        [xx, m10 + m01, m02 + m20, m21 - m12]
    } else if yy >= zz {
        [m10 + m01, yy, m21 + m12, m02 - m20]
    } else {
        [m02 + m20, m21 + m12, zz, m10 - m01]
    };
    let zero = basis.iter().flatten().all(|value| *value == 0.0);
    unit(rotation).filter(|_| !zero)
}

fn unit(rotation: [f64; 4]) -> Option<[f64; 4]> {
    let length = rotation.iter().map(|value| value * value).sum::<f64>().sqrt();
    (length > 1e-9 && length.is_finite()).then(|| rotation.map(|value| value / length))
}

/// Adjusts a rotation until each component is within [`REACH`] of its thousandth: repeatedly corrects the worst one. Returns the original
/// rotation if that does not converge.
fn fitted(start: [f64; 4], basis: &Basis) -> [f64; 4] {
    let mut rotation = start;
    for done in 0..MAX_STEPS {
        let now = directions(&rotation);
        let mut worst = (0.0f64, 0, 0);
        for (column, (found, wanted)) in now.iter().zip(basis).enumerate() {
            for (row, (found, wanted)) in found.iter().zip(wanted).enumerate() {
                let off = found - wanted;
                if off.abs() > worst.0.abs() {
                    worst = (off, column, row);
                }
            }
        }
        let (off, column, row) = worst;
        let excess = off.abs() - REACH;
        if excess <= 0.0 {
            return rotation;
        }
        if done == EARLY_STEPS && excess > NEARLY {
            return start;
        }
        let slope = slope(&rotation, column, row);
        let steep: f64 = slope.iter().map(|value| value * value).sum();
        if steep < 1e-12 {
            return start;
        }
        let step = off.signum() * (excess * STRIDE + 1e-7) / steep;
        let moved: [f64; 4] = std::array::from_fn(|place| {
            rotation.get(place).copied().unwrap_or_default() - step * slope.get(place).copied().unwrap_or_default()
        });
        match unit(moved) {
            Some(moved) => rotation = moved,
            None => return start,
        }
    }
    start
}

/// Returns the derivative of a component with respect to each part of a unit quaternion.
fn slope(&[x, y, z, w]: &[f64; 4], column: usize, row: usize) -> [f64; 4] {
    let parts = match (column, row) {
        (0, 0) => [0.0, -2.0 * y, -2.0 * z, 0.0],
        (0, 1) => [y, x, w, z],
        (0, 2) => [z, -w, x, -y],
        (1, 0) => [y, x, -w, -z],
        (1, 1) => [-2.0 * x, 0.0, -2.0 * z, 0.0],
        (1, 2) => [w, z, y, x],
        (2, 0) => [z, w, x, y],
        (2, 1) => [-w, z, y, -x],
        _ => [-2.0 * x, -2.0 * y, 0.0, 0.0],
    };
    parts.map(|value| value * 2.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rounded(basis: &Basis) -> Basis {
        basis.map(|column| column.map(|value| f64::from(as_printed((value * 1000.0).round() as i32))))
    }

    #[test]
    fn no_turn_is_a_quaternion_with_w_alone() {
        let basis = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        assert_eq!(to_quat(&basis), Quat { x: 0.0, y: 0.0, z: 0.0, w: 1.0 });
        assert_eq!(to_basis(&to_quat(&basis), true), basis);
    }

    #[test]
    fn a_quarter_turn_about_up_makes_forward_of_left() {
        // Columns left, up, forward: left points where forward was.
        let basis = [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]];
        let quat = to_quat(&basis);
        let half = std::f32::consts::FRAC_1_SQRT_2;
        assert!((quat.y + half).abs() < 1e-6 && (quat.w - half).abs() < 1e-6, "{quat:?}");
        assert_eq!(to_basis(&quat, true), basis);
    }

    #[test]
    fn no_directions_are_no_rotation() {
        assert_eq!(to_quat(&Basis::default()), Quat::default());
        assert_eq!(to_basis(&Quat::default(), true), Basis::default());
        assert_eq!(to_quat(&[[f64::NAN; 3]; 3]), Quat::default());
    }

    #[test]
    fn parts_of_directions_are_those_that_are_read_from_the_games_text() {
        for steps in -1000..=1000 {
            let text = gametape_games::echo_vr::simulated::grid_text(f64::from(steps) / 1000.0);
            assert_eq!(as_printed(steps), text.parse::<f32>().unwrap(), "{text}");
        }
    }

    #[test]
    fn numbers_off_the_grid_are_told_from_those_on_it() {
        assert_eq!(thousandths(26.869_001), Some(26_869));
        assert_eq!(thousandths("-0.0060000001".parse().unwrap()), Some(-6));
        assert_eq!(thousandths(0.123_456), None);
        assert_eq!(thousandths(f32::INFINITY), None);
        assert_eq!(thousandths(f32::NAN), None);
    }

    #[test]
    fn rounded_directions_come_back_to_the_thousandth() {
        // A fixed seed, so that the few cases without a solution within reach do not fail a run by chance.
        let mut random = 1u64;
        let mut next = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let mut others = 0;
        for _ in 0..3000 {
            let basis = rounded(&directions(&[next(), next(), next(), next()]));
            let quat = to_quat(&basis);
            let again = to_basis(&quat, true);
            let off =
                again.iter().flatten().zip(basis.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 2.4e-3, "{basis:?} {again:?}");
            match again == basis {
                // And once more, to the bit.
                true => assert_eq!(to_quat(&again), quat),
                false => others += 1,
            }
        }
        assert!(others <= 3, "{others} of 3000 did not come back to the thousandth");
    }

    proptest! {
        #[test]
        fn any_numbers_give_a_rotation_or_none(values in prop::array::uniform9(any::<f64>())) {
            let [a, b, c, d, e, f, g, h, i] = values;
            let quat = to_quat(&[[a, b, c], [d, e, f], [g, h, i]]);
            to_basis(&quat, false);
        }
    }
}
