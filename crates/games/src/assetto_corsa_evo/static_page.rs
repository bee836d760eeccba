//! The static page, 208 bytes: session and track.
use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout};

use super::GAME;
use crate::layout::Kind::{Bool, Char, F32, I32, U8};
use crate::layout::{Channel, Layout};
use crate::text::Chars;
use crate::typed::{Frame, TypedStream};

/// Layout of version 0.6 and later.
pub static STATIC_208: Layout = Layout::from_table("ace-static-208", 208, CHANNELS);

const CHANNELS: &[Channel] = &[
    Channel::fixed("sm_version", 0, Char, 15, ""),
    Channel::fixed("ac_evo_version", 15, Char, 15, ""),
    Channel::fixed("session", 32, I32, 1, ""),
    Channel::fixed("session_name", 36, Char, 33, ""),
    Channel::fixed("event_id", 69, U8, 1, ""),
    Channel::fixed("session_id", 70, U8, 1, ""),
    Channel::fixed("starting_grip", 72, I32, 1, ""),
    Channel::fixed("starting_ambient_temperature_c", 76, F32, 1, "degC"),
    Channel::fixed("starting_ground_temperature_c", 80, F32, 1, "degC"),
    Channel::fixed("is_static_weather", 84, Bool, 1, ""),
    Channel::fixed("is_timed_race", 85, Bool, 1, ""),
    Channel::fixed("is_online", 86, Bool, 1, ""),
    Channel::fixed("number_of_sessions", 88, I32, 1, ""),
    Channel::fixed("nation", 92, Char, 33, ""),
    Channel::fixed("longitude", 128, F32, 1, "deg"),
    Channel::fixed("latitude", 132, F32, 1, "deg"),
    Channel::fixed("track", 136, Char, 33, ""),
    Channel::fixed("track_configuration", 169, Char, 33, ""),
    Channel::fixed("track_length_m", 204, F32, 1, "m"),
];

/// The static page.
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Static {
    /// Version of the shared memory interface.
    pub sm_version: Chars<15>,
    /// Version of the game.
    pub ac_evo_version: Chars<15>,
    /// Padding.
    pub pad_30: [u8; 2],
    /// -1 unknown, 0 time attack, 1 race, 2 hot stint, 3 cruise.
    pub session: i32,
    /// Name of the session.
    pub session_name: Chars<33>,
    /// Number of the event.
    pub event_id: u8,
    /// Number of the session within the event.
    pub session_id: u8,
    /// Padding.
    pub pad_71: [u8; 1],
    /// Grip at the start: 0 green, 1 fast, 2 optimum.
    pub starting_grip: i32,
    /// Air temperature at the start, °C.
    pub starting_ambient_temperature_c: f32,
    /// Ground temperature at the start, °C.
    pub starting_ground_temperature_c: f32,
    /// 1 if the weather does not change.
    pub is_static_weather: u8,
    /// 1 if the race is limited by time.
    pub is_timed_race: u8,
    /// 1 in an online session.
    pub is_online: u8,
    /// Padding.
    pub pad_87: [u8; 1],
    /// Number of sessions in the event.
    pub number_of_sessions: i32,
    /// Country of the track.
    pub nation: Chars<33>,
    /// Padding.
    pub pad_125: [u8; 3],
    /// Longitude of the track, degrees.
    pub longitude: f32,
    /// Latitude of the track, degrees.
    pub latitude: f32,
    /// Track.
    pub track: Chars<33>,
    /// Track layout.
    pub track_configuration: Chars<33>,
    /// Padding.
    pub pad_202: [u8; 2],
    /// Track length, m.
    pub track_length_m: f32,
}

const _: () = assert!(size_of::<Static>() == 208);

impl Default for Static {
    fn default() -> Self {
        Self::new_zeroed()
    }
}

impl Frame for Static {
    fn stream() -> TypedStream<Self> {
        TypedStream::new(&GAME, &super::STATIC)
    }
}
