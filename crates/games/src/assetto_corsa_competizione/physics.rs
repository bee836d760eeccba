//! The physics page, 800 bytes: the car. Its first 580 bytes are those of [Assetto Corsa](ac::Physics).
use std::ops::{Deref, DerefMut};

use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout};

use super::GAME;
use crate::ac;
use crate::layout::Kind::{F32, I32};
use crate::layout::{Channel, Layout, joined};
use crate::typed::{Frame, TypedStream};

/// The page as every known version of the game writes it.
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

/// The page. The fields of [`ac::Physics`] are read as if they were its own: `page.speed_kmh`. Arrays of four are front
/// left, front right, rear left, rear right.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Physics {
    /// The first 580 bytes.
    pub head: ac::Physics,
    /// Unused.
    pub p2p_activations: i32,
    /// Unused.
    pub p2p_status: i32,
    /// Highest engine speed now, rpm. Unused in ACC; other games of the family fill it.
    pub current_max_rpm: i32,
    /// Unused.
    pub mz: [f32; 4],
    /// Unused.
    pub fx: [f32; 4],
    /// Unused.
    pub fy: [f32; 4],
    /// Slip of each tyre along its direction.
    pub slip_ratio: [f32; 4],
    /// Slip angle of each tyre, rad.
    pub slip_angle: [f32; 4],
    /// Unused.
    pub tc_in_action: i32,
    /// Unused.
    pub abs_in_action: i32,
    /// Damage of the suspension. Documented as unused, but filled.
    pub suspension_damage: [f32; 4],
    /// Unused.
    pub tyre_temp: [f32; 4],
    /// Temperature of the water, °C.
    pub water_temp: f32,
    /// Brake pressure.
    pub brake_pressure: [f32; 4],
    /// Brake pads at the front.
    pub front_brake_compound: i32,
    /// Brake pads at the rear.
    pub rear_brake_compound: i32,
    /// What is left of the brake pads, mm.
    pub pad_life: [f32; 4],
    /// What is left of the brake discs, mm.
    pub disc_life: [f32; 4],
    /// 1 while the ignition is on.
    pub ignition_on: i32,
    /// 1 while the starter turns.
    pub starter_engine_on: i32,
    /// 1 while the engine runs.
    pub is_engine_running: i32,
    /// Vibration by kerbs.
    pub kerb_vibration: f32,
    /// Vibration by slip.
    pub slip_vibrations: f32,
    /// Vibration by acceleration.
    pub g_vibrations: f32,
    /// Vibration by the anti-lock brakes.
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
