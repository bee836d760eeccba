//! The graphics page, 296 or 284 bytes: session, laps and track. Assetto Corsa Competizione's page shares the first 252
//! bytes ([`GraphicsHead`]) and differs after that.
use std::ops::{Deref, DerefMut};

use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout};

use super::GAME;
use crate::layout::Kind::{Char16, F32, I32};
use crate::layout::{Channel, Layout, joined};
use crate::text::Utf16;
use crate::typed::{Frame, TypedStream};

/// Layout of the newest version.
pub static GRAPHICS_296: Layout = Layout::from_table("ac-graphics-296", 296, CHANNELS);

/// Layout before `mandatoryPitDone`, `windSpeed` and `windDirection` were appended.
pub static GRAPHICS_284: Layout = Layout::from_table("ac-graphics-284", 284, CHANNELS.split_at(CHANNELS.len() - 3).0);

const CHANNELS: &[Channel] = &joined::<{ HEAD.len() + TAIL.len() }>(HEAD, TAIL);

pub(crate) const HEAD: &[Channel] = &[
    Channel::fixed("packetId", 0, I32, 1, ""),
    Channel::fixed("status", 4, I32, 1, ""),
    Channel::fixed("session", 8, I32, 1, ""),
    Channel::fixed("currentTime", 12, Char16, 15, ""),
    Channel::fixed("lastTime", 42, Char16, 15, ""),
    Channel::fixed("bestTime", 72, Char16, 15, ""),
    Channel::fixed("split", 102, Char16, 15, ""),
    Channel::fixed("completedLaps", 132, I32, 1, ""),
    Channel::fixed("position", 136, I32, 1, ""),
    Channel::fixed("iCurrentTime", 140, I32, 1, "ms"),
    Channel::fixed("iLastTime", 144, I32, 1, "ms"),
    Channel::fixed("iBestTime", 148, I32, 1, "ms"),
    Channel::fixed("sessionTimeLeft", 152, F32, 1, "ms"),
    Channel::fixed("distanceTraveled", 156, F32, 1, "m"),
    Channel::fixed("isInPit", 160, I32, 1, ""),
    Channel::fixed("currentSectorIndex", 164, I32, 1, ""),
    Channel::fixed("lastSectorTime", 168, I32, 1, "ms"),
    Channel::fixed("numberOfLaps", 172, I32, 1, ""),
    Channel::fixed("tyreCompound", 176, Char16, 33, ""),
    Channel::fixed("replayTimeMultiplier", 244, F32, 1, ""),
    Channel::fixed("normalizedCarPosition", 248, F32, 1, "ratio"),
];

const TAIL: &[Channel] = &[
    Channel::fixed("carCoordinates", 252, F32, 3, "m"),
    Channel::fixed("penaltyTime", 264, F32, 1, ""),
    Channel::fixed("flag", 268, I32, 1, ""),
    Channel::fixed("idealLineOn", 272, I32, 1, ""),
    Channel::fixed("isInPitLane", 276, I32, 1, ""),
    Channel::fixed("surfaceGrip", 280, F32, 1, "ratio"),
    Channel::fixed("mandatoryPitDone", 284, I32, 1, ""),
    Channel::fixed("windSpeed", 288, F32, 1, ""),
    Channel::fixed("windDirection", 292, F32, 1, ""),
];

/// The common prefix of the graphics pages of Assetto Corsa and Assetto Corsa Competizione.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct GraphicsHead {
    /// Increases with every rendered frame.
    pub packet_id: i32,
    /// 0 off, 1 replay, 2 live, 3 pause.
    pub status: i32,
    /// -1 unknown, 0 practice, 1 qualify, 2 race, 3 hotlap, 4 time attack, 5 drift, 6 drag, 7 hotstint, 8 superpole.
    pub session: i32,
    /// Current lap time, as text.
    pub current_time: Utf16<15>,
    /// Last lap time, as text.
    pub last_time: Utf16<15>,
    /// Best lap time, as text.
    pub best_time: Utf16<15>,
    /// Last split, as text.
    pub split: Utf16<15>,
    /// Completed laps.
    pub completed_laps: i32,
    /// Race position, from 1.
    pub position: i32,
    /// Current lap time, ms.
    pub i_current_time: i32,
    /// Last lap time, ms; `i32::MAX` if there is none.
    pub i_last_time: i32,
    /// Best lap time, ms; `i32::MAX` if there is none.
    pub i_best_time: i32,
    /// Session time left, ms; negative if there is no limit.
    pub session_time_left: f32,
    /// Distance driven in the stint, m.
    pub distance_traveled: f32,
    /// 1 while the car is in its pit box.
    pub is_in_pit: i32,
    /// Current sector, from 0.
    pub current_sector_index: i32,
    /// Last sector time, ms. In AC the sector alone, in ACC the time from the line to the end of the sector.
    pub last_sector_time: i32,
    /// Number of laps in the session (AC); equal to `completed_laps` in ACC.
    pub number_of_laps: i32,
    /// Tyre compound.
    pub tyre_compound: Utf16<33>,
    /// Padding.
    pub pad_242: [u8; 2],
    /// Replay speed. Unused in ACC.
    pub replay_time_multiplier: f32,
    /// Track position, 0 to 1.
    pub normalized_car_position: f32,
}

const _: () = assert!(size_of::<GraphicsHead>() == 252);

impl Default for GraphicsHead {
    fn default() -> Self {
        Self::new_zeroed()
    }
}

/// The page of the newest version. Dereferences to [`GraphicsHead`].
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Graphics {
    /// The first 252 bytes.
    pub head: GraphicsHead,
    /// World position of the player's car, m.
    pub car_coordinates: [f32; 3],
    /// Penalty time.
    pub penalty_time: f32,
    /// 0 none, 1 blue, 2 yellow, 3 black, 4 white, 5 chequered, 6 penalty.
    pub flag: i32,
    /// 1 while the ideal line is shown.
    pub ideal_line_on: i32,
    /// 1 while the car is in the pit lane.
    pub is_in_pit_lane: i32,
    /// Track grip, 0 to 1.
    pub surface_grip: f32,
    /// 1 once the mandatory pit stop is done.
    pub mandatory_pit_done: i32,
    /// Wind speed. Its unit is not documented.
    pub wind_speed: f32,
    /// Direction that the wind comes from. Its unit is not documented.
    pub wind_direction: f32,
}

const _: () = assert!(size_of::<Graphics>() == 296);

impl Deref for Graphics {
    type Target = GraphicsHead;

    fn deref(&self) -> &GraphicsHead {
        &self.head
    }
}

impl DerefMut for Graphics {
    fn deref_mut(&mut self) -> &mut GraphicsHead {
        &mut self.head
    }
}

impl Default for Graphics {
    fn default() -> Self {
        Self::new_zeroed()
    }
}

impl Frame for Graphics {
    fn stream() -> TypedStream<Self> {
        TypedStream::new(&GAME, &super::GRAPHICS)
    }
}
