//! Position, rotation and velocities of a ball or a car, in the same units for every version of the network stream.
//!
//! | network version | position | velocities | rotation |
//! |---|---|---|---|
//! | none, below 5 | metres | a tenth | angles |
//! | 5, 6 | cm | cm/s, 0.01 rad/s | angles |
//! | 7 and later | cm | cm/s, 0.01 rad/s | quaternion |
//!
//! Angles are pitch, yaw and roll as (value + 1) π. Axes are those of the engine: left-handed, z up, x forward.

use std::f32::consts::PI;

use boxcars::{Quaternion, RigidBody, Vector3f};
use gametape_format::ChannelType::F32;

use crate::import::replays::decoded::Field;

/// The fields of [`Body::values`], and whether it is there: 0 after it was destroyed and before it is made again.
pub(super) const BALL: &[Field] = &[
    ("position_x", F32, "cm"),
    ("position_y", F32, "cm"),
    ("position_z", F32, "cm"),
    ("rotation_x", F32, ""),
    ("rotation_y", F32, ""),
    ("rotation_z", F32, ""),
    ("rotation_w", F32, ""),
    ("velocity_x", F32, "cm/s"),
    ("velocity_y", F32, "cm/s"),
    ("velocity_z", F32, "cm/s"),
    ("angular_velocity_x", F32, "rad/s"),
    ("angular_velocity_y", F32, "rad/s"),
    ("angular_velocity_z", F32, "rad/s"),
    ("sleeping", F32, ""),
    ("present", F32, ""),
];

/// Number of values of a body.
pub(super) const VALUES: usize = 14;

/// A body that is not known yet, or not there.
pub(super) const UNKNOWN: [f32; VALUES] = [f32::NAN; VALUES];

/// The scales of a version of the network stream.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scales {
    position: f32,
    velocity: f32,
    angles: bool,
}

impl Scales {
    pub(super) fn of(net_version: Option<i32>) -> Self {
        let version = net_version.unwrap_or_default();
        let (position, velocity) = if version < 5 { (100.0, 10.0) } else { (1.0, 1.0) };
        Self { position, velocity, angles: version < 7 }
    }

    /// Converts a body. Velocities of a sleeping one are 0: the game does not send them.
    pub(super) fn values(self, body: &RigidBody) -> [f32; VALUES] {
        let scaled = |vector: Vector3f, scale: f32| [vector.x * scale, vector.y * scale, vector.z * scale];
        let moving = |vector: Option<Vector3f>, scale: f32| match vector {
            Some(vector) => scaled(vector, scale),
            None if body.sleeping => [0.0; 3],
            None => [f32::NAN; 3],
        };
        let [x, y, z] = scaled(body.location, self.position);
        let [qx, qy, qz, qw] = self.rotation(body.rotation);
        let [vx, vy, vz] = moving(body.linear_velocity, self.velocity);
        // Hundredths of a radian to radians.
        let [wx, wy, wz] = moving(body.angular_velocity, self.velocity / 100.0);
        [x, y, z, qx, qy, qz, qw, vx, vy, vz, wx, wy, wz, f32::from(u8::from(body.sleeping))]
    }

    fn rotation(self, rotation: Quaternion) -> [f32; 4] {
        if !self.angles {
            return [rotation.x, rotation.y, rotation.z, rotation.w];
        }
        let angle = |value: f32| (value + 1.0) * PI;
        quaternion(angle(rotation.x), angle(rotation.y), angle(rotation.z))
    }
}

/// The unit quaternion q of three angles, such that q (1, 0, 0) points forward and q (0, 0, 1) up.
fn quaternion(pitch: f32, yaw: f32, roll: f32) -> [f32; 4] {
    let ((sp, cp), (sy, cy), (sr, cr)) = (pitch.sin_cos(), yaw.sin_cos(), roll.sin_cos());
    let forward = [cp * cy, cp * sy, sp];
    let up = [-(cr * sp * cy + sr * sy), cy * sr - cr * sp * sy, cr * cp];
    let side = cross(up, forward);
    of_axes(forward, side, up)
}

fn cross([ax, ay, az]: [f32; 3], [bx, by, bz]: [f32; 3]) -> [f32; 3] {
    [ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx]
}

/// The quaternion of a rotation that maps the three axes to these. The largest of its numbers is computed first, for precision.
fn of_axes([xx, xy, xz]: [f32; 3], [yx, yy, yz]: [f32; 3], [zx, zy, zz]: [f32; 3]) -> [f32; 4] {
    let trace = xx + yy + zz;
    if trace > xx.max(yy).max(zz) {
        let double = 2.0 * (1.0 + trace).max(0.0).sqrt();
        [(yz - zy) / double, (zx - xz) / double, (xy - yx) / double, double / 4.0]
    } else if xx >= yy && xx >= zz {
        let double = 2.0 * (1.0 + xx - yy - zz).max(0.0).sqrt();
        [double / 4.0, (xy + yx) / double, (zx + xz) / double, (yz - zy) / double]
    } else if yy >= zz {
        let double = 2.0 * (1.0 + yy - xx - zz).max(0.0).sqrt();
        [(xy + yx) / double, double / 4.0, (yz + zy) / double, (zx - xz) / double]
    } else {
        let double = 2.0 * (1.0 + zz - xx - yy).max(0.0).sqrt();
        [(zx + xz) / double, (yz + zy) / double, double / 4.0, (xy - yx) / double]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rotates a vector by a quaternion.
    fn rotate([x, y, z, w]: [f32; 4], v: [f32; 3]) -> [f32; 3] {
        let t = cross([x, y, z], v).map(|value| 2.0 * value);
        let c = cross([x, y, z], t);
        [v[0] + w * t[0] + c[0], v[1] + w * t[1] + c[1], v[2] + w * t[2] + c[2]]
    }

    #[test]
    fn quaternions_of_angles_point_forward_and_up_as_the_angles_do() {
        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
        for step in 0..1000 {
            let angle = |prime: i32| (step * prime % 628) as f32 / 100.0;
            let (pitch, yaw, roll) = (angle(7), angle(11), angle(13));
            let ((sp, cp), (sy, cy), (sr, cr)) = (pitch.sin_cos(), yaw.sin_cos(), roll.sin_cos());
            let q = quaternion(pitch, yaw, roll);
            assert!((q.iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
            assert!(near(rotate(q, [1.0, 0.0, 0.0]), [cp * cy, cp * sy, sp]), "{step}");
            let up = [-(cr * sp * cy + sr * sy), cy * sr - cr * sp * sy, cr * cp];
            assert!(near(rotate(q, [0.0, 0.0, 1.0]), up), "{step}");
        }
    }

    #[test]
    fn old_streams_are_scaled_and_sleeping_bodies_do_not_move() {
        let vector = |x| Vector3f { x, y: 0.0, z: 0.0 };
        let rotation = Quaternion { x: -1.0, y: -1.0, z: -1.0, w: 0.0 };
        let mut body = RigidBody {
            sleeping: false,
            location: vector(20.48),
            rotation,
            linear_velocity: Some(vector(230.0)),
            angular_velocity: Some(vector(60.0)),
        };
        let old = Scales::of(None).values(&body);
        assert_eq!((old[0], old[7], old[10]), (2048.0, 2300.0, 6.0));
        assert!((old[6].abs() - 1.0).abs() < 1e-6, "no rotation: {old:?}");
        assert_eq!(Scales::of(Some(5)).values(&body)[0], 20.48);
        assert_eq!(Scales::of(Some(7)).values(&body)[3..7], [-1.0, -1.0, -1.0, 0.0]);
        (body.sleeping, body.linear_velocity, body.angular_velocity) = (true, None, None);
        assert_eq!(Scales::of(None).values(&body)[7..], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        body.sleeping = false;
        assert!(Scales::of(None).values(&body)[7].is_nan());
    }
}
