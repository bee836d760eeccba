//! A player's bones: 23 joints, each a position and a quaternion relative to the body.

use super::chance::Chance;
use super::motion::{Vector, Wander3};

/// Number of bones per player.
pub(super) const BONES: usize = 23;
/// Standard deviation of the tracking noise of positions, in metres, and of quaternions.
const PLACE_NOISE_M: f64 = 0.0001;
const TURN_NOISE: f64 = 0.0002;

/// Rest position of each joint: spine and head, then arms with hands, then legs.
const REST: [Vector; BONES] = [
    [0.0, 0.0, 0.0],
    [0.0, 0.12, 0.01],
    [0.0, 0.25, 0.015],
    [0.0, 0.38, 0.01],
    [0.0, 0.5, 0.02],
    [0.0, 0.62, 0.05],
    [0.05, 0.45, 0.01],
    [0.18, 0.46, 0.0],
    [0.3, 0.3, 0.05],
    [0.38, 0.15, 0.2],
    [0.4, 0.13, 0.26],
    [0.41, 0.12, 0.31],
    [-0.05, 0.45, 0.01],
    [-0.18, 0.46, 0.0],
    [-0.3, 0.3, 0.05],
    [-0.38, 0.15, 0.2],
    [-0.4, 0.13, 0.26],
    [-0.41, 0.12, 0.31],
    [0.1, -0.05, 0.0],
    [0.11, -0.45, 0.04],
    [-0.1, -0.05, 0.0],
    [-0.11, -0.45, 0.04],
    [0.0, -0.8, -0.1],
];

/// A joint that swings.
#[derive(Debug, Clone)]
struct Joint {
    rest: Vector,
    place: Wander3,
    turn: Wander3,
    chance: Chance,
}

/// All joints of a player.
#[derive(Debug, Clone)]
pub(super) struct Skeleton(Vec<Joint>);

/// The bones at a moment.
#[derive(Debug, Clone)]
pub(super) struct Bones {
    pub(super) places: Vec<[f32; 3]>,
    /// x, y, z, w.
    pub(super) turns: Vec<[f32; 4]>,
}

impl Skeleton {
    pub(super) fn new(chance: Chance) -> Self {
        let joint = |(number, rest): (usize, &Vector)| {
            let chance = chance.of(number as u64);
            // Joints far from the centre swing more.
            let reach = 0.02 + 0.15 * rest.iter().map(|part| part * part).sum::<f64>().sqrt();
            let place = Wander3::new(chance.of(1), [reach, reach, reach], 0.2, 2.0);
            let turn = Wander3::new(chance.of(2), [0.9, 0.9, 0.9], 0.15, 1.5);
            Joint { rest: *rest, place, turn, chance }
        };
        Self(REST.iter().enumerate().map(joint).collect())
    }

    pub(super) fn at(&self, frame: usize, seconds: f64) -> Bones {
        let mut bones = Bones { places: Vec::with_capacity(BONES), turns: Vec::with_capacity(BONES) };
        for joint in &self.0 {
            let noise = |part: u64| joint.chance.of(part).noise(frame as u64);
            let place = joint.place.at(seconds);
            bones.places.push(std::array::from_fn(|axis| {
                (joint.rest[axis] + place[axis] + PLACE_NOISE_M * noise(axis as u64)) as f32
            }));
            let turn = joint.turn.at(seconds);
            let [x, y, z]: [f64; 3] =
                std::array::from_fn(|axis| (turn[axis] / 2.0).sin() * 0.57 + TURN_NOISE * noise(3 + axis as u64));
            let w = (1.0 - x * x - y * y - z * z).max(0.0).sqrt();
            bones.turns.push([x as f32, y as f32, z as f32, w as f32]);
        }
        bones
    }
}
