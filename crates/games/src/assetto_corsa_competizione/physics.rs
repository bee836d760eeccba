//! The physics page, 800 bytes: car state. Its first 580 bytes are those of [Assetto Corsa](ac::Physics).
use std::ops::{Deref, DerefMut};

use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout};

use super::GAME;
use crate::ac;
use crate::layout::Kind::{F32, I32};
use crate::layout::{Channel, Layout, joined};
use crate::typed::{Frame, TypedStream};

/// Layout of all known versions of the game.
pub static PHYSICS_800: Layout = Layout::from_table("acc-physics-800", 800, CHANNELS);

pub(crate) const CHANNELS: &[Channel] =
    &joined::<{ ac::PHYSICS_CHANNELS.len() + TAIL.len() }>(ac::PHYSICS_CHANNELS, TAIL);

const TAIL: &[Channel] = &[
    Channel::fixed("P2PActivations", 580, I32, 1, ""),
    Channel::fixed("P2PStatus", 584, I32, 1, ""),
    Channel::fixed("currentMaxRpm", 588, I32, 1, "rpm"),
    Channel::fixed("mz", 592, F32, 4, "N*m"),
    Channel::fixed("fx", 608, F32, 4, "N"),
    Channel::fixed("fy", 624, F32, 4, "N"),
    Channel::fixed("slipRatio", 640, F32, 4, ""),
    Channel::fixed("slipAngle", 656, F32, 4, "rad"),
    Channel::fixed("tcInAction", 672, I32, 1, ""),
    Channel::fixed("absInAction", 676, I32, 1, ""),
    Channel::fixed("suspensionDamage", 680, F32, 4, ""),
    Channel::fixed("tyreTemp", 696, F32, 4, "degC"),
    Channel::fixed("waterTemp", 712, F32, 1, "degC"),
    Channel::fixed("brakePressure", 716, F32, 4, ""),
    Channel::fixed("frontBrakeCompound", 732, I32, 1, ""),
    Channel::fixed("rearBrakeCompound", 736, I32, 1, ""),
    Channel::fixed("padLife", 740, F32, 4, "mm"),
    Channel::fixed("discLife", 756, F32, 4, "mm"),
    Channel::fixed("ignitionOn", 772, I32, 1, ""),
    Channel::fixed("starterEngineOn", 776, I32, 1, ""),
    Channel::fixed("isEngineRunning", 780, I32, 1, ""),
    Channel::fixed("kerbVibration", 784, F32, 1, ""),
    Channel::fixed("slipVibrations", 788, F32, 1, ""),
    Channel::fixed("gVibrations", 792, F32, 1, ""),
    Channel::fixed("absVibrations", 796, F32, 1, ""),
];

/// The physics page. Dereferences to [`ac::Physics`]: `page.speed_kmh`. Arrays of four are in the order front left,
/// front right, rear left, rear right.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Physics {
    /// The first 580 bytes.
    pub head: ac::Physics,
    /// Unused.
    pub p2p_activations: i32,
    /// Unused.
    pub p2p_status: i32,
    /// Current maximum engine speed, rpm. Unused in ACC; other games of the family fill it.
    pub current_max_rpm: i32,
    /// Unused.
    pub mz: [f32; 4],
    /// Unused.
    pub fx: [f32; 4],
    /// Unused.
    pub fy: [f32; 4],
    /// Longitudinal slip ratio of each tyre.
    pub slip_ratio: [f32; 4],
    /// Slip angle of each tyre, rad.
    pub slip_angle: [f32; 4],
    /// Unused.
    pub tc_in_action: i32,
    /// Unused.
    pub abs_in_action: i32,
    /// Suspension damage. Documented as unused, but filled.
    pub suspension_damage: [f32; 4],
    /// Unused.
    pub tyre_temp: [f32; 4],
    /// Water temperature, °C.
    pub water_temp: f32,
    /// Brake pressure.
    pub brake_pressure: [f32; 4],
    /// Front brake pad compound.
    pub front_brake_compound: i32,
    /// Rear brake pad compound.
    pub rear_brake_compound: i32,
    /// Remaining brake pad thickness, mm.
    pub pad_life: [f32; 4],
    /// Remaining brake disc thickness, mm.
    pub disc_life: [f32; 4],
    /// 1 while the ignition is on.
    pub ignition_on: i32,
    /// 1 while the starter is running.
    pub starter_engine_on: i32,
    /// 1 while the engine runs.
    pub is_engine_running: i32,
    /// Vibration from kerbs.
    pub kerb_vibration: f32,
    /// Vibration from slip.
    pub slip_vibrations: f32,
    /// Vibration from acceleration.
    pub g_vibrations: f32,
    /// Vibration from the anti-lock brakes.
    pub abs_vibrations: f32,
}

const _: () = assert!(size_of::<Physics>() == 800);

impl Deref for Physics {
    type Target = ac::Physics;

    fn deref(&self) -> &ac::Physics {
        &self.head
    }
}

impl DerefMut for Physics {
    fn deref_mut(&mut self) -> &mut ac::Physics {
        &mut self.head
    }
}

impl Default for Physics {
    fn default() -> Self {
        Self::new_zeroed()
    }
}

impl Frame for Physics {
    fn stream() -> TypedStream<Self> {
        TypedStream::new(&GAME, &super::PHYSICS)
    }
}
