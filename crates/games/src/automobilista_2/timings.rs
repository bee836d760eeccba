//! A timings packet: places and laps of all cars. The game state, which is sent apart from it.
use crate::bytes::{array_at, f32_at};
use crate::capture::{Presence, Seen};
use crate::lap_frame::Pit;
use crate::project_cars::states::{self, time_ms};

use super::{GAME_STATE, TIMINGS};

const PARTICIPANTS_AT: usize = 33;
const PARTICIPANT_BYTES: usize = 32;
const MOST_PARTICIPANTS: usize = 32;

/// Bits of the race state that mark an invalid lap. Sources disagree about which one does; no state needs either.
const INVALID_LAP: u8 = 1 << 3 | 1 << 7;

#[derive(Debug, Clone, Copy)]
pub(super) struct Timings<'a>(pub(super) &'a [u8]);

impl<'a> Timings<'a> {
    pub(super) fn newest(seen: Seen<'a>) -> Option<Self> {
        seen.stream(TIMINGS).map(|frame| Self(frame.bytes))
    }

    /// Returns the number of participants. Those above are stale.
    pub(super) fn count(self) -> usize {
        let count = self.0.get(12).and_then(|count| usize::try_from(count.cast_signed()).ok());
        count.unwrap_or(0).min(MOST_PARTICIPANTS)
    }

    pub(super) fn at(self, place: usize) -> Option<Timing<'a>> {
        let at = PARTICIPANTS_AT + PARTICIPANT_BYTES * place;
        let bytes = self.0.get(at..at + PARTICIPANT_BYTES).filter(|_| place < self.count())?;
        Some(Timing(bytes)).filter(|timing| timing.is_active())
    }

    pub(super) fn all(self) -> impl Iterator<Item = (usize, Timing<'a>)> {
        (0..self.count()).filter_map(move |place| Some((place, self.at(place)?)))
    }

    /// Returns the player's car: the one with the local participant's number, or else the viewed one.
    pub(super) fn local(self, viewed: Option<usize>) -> Option<(usize, Timing<'a>)> {
        let local = array_at(self.0, 1057).map(u16::from_le_bytes);
        let own = local.and_then(|local| self.all().find(|(_, timing)| timing.participant() == Some(local)));
        own.or_else(|| viewed.and_then(|place| Some((place, self.at(place)?))))
    }

    /// Returns the time left in seconds. In races over laps it is negative.
    pub(super) fn left_s(self) -> Option<f32> {
        f32_at(self.0, 17).filter(|left_s| left_s.is_finite() && *left_s >= 0.0)
    }

    pub(super) fn packet_number(self) -> Option<u32> {
        array_at(self.0, 0).map(u32::from_le_bytes)
    }

    fn is_running(self) -> bool {
        self.all().any(|(_, timing)| timing.race_state() != Some(0))
    }
}

/// The place and lap of one car.
#[derive(Debug, Clone, Copy)]
pub(super) struct Timing<'a>(&'a [u8]);

impl Timing<'_> {
    fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    fn u16(self, at: usize) -> Option<u16> {
        array_at(self.0, at).map(u16::from_le_bytes)
    }

    /// Returns the position in the game's axes, in quarters of metres.
    pub(super) fn world_m(self) -> Option<[f32; 3]> {
        let metre = |at| self.u16(at).map(|metres| f32::from(metres.cast_signed()));
        let quarters = self.u8(15)?;
        let more = |shift: u8| f32::from((quarters >> shift) & 0x3) / 4.0;
        Some([metre(0)? + more(6), metre(2)?, metre(4)? + more(4)])
    }

    pub(super) fn lap_distance_m(self) -> Option<u16> {
        self.u16(12)
    }

    fn is_active(self) -> bool {
        self.u8(14).is_some_and(|position| position & 0x80 != 0)
    }

    pub(super) fn race_position(self) -> Option<u16> {
        self.u8(14).map(|position| u16::from(position & 0x7F)).filter(|position| *position > 0)
    }

    /// Returns the sector, from 0.
    pub(super) fn sector(self) -> Option<u8> {
        self.u8(15).map(|sector| sector & 0x7)
    }

    pub(super) fn flag_colour(self) -> Option<u8> {
        self.u8(16).map(|flag| flag & 0xF)
    }

    pub(super) fn pit(self) -> Option<Pit> {
        self.u8(17).and_then(|pit_mode| states::pit(pit_mode & 0xF))
    }

    pub(super) fn car_index(self) -> Option<u16> {
        self.u16(18).map(|car| car & 0x7FFF)
    }

    pub(super) fn race_state(self) -> Option<u8> {
        self.u8(20).map(|state| state & 0x7)
    }

    pub(super) fn is_lap_invalid(self) -> Option<bool> {
        self.u8(20).map(|state| state & INVALID_LAP != 0)
    }

    pub(super) fn lap(self) -> Option<u32> {
        self.u8(21).map(u32::from).filter(|lap| *lap > 0)
    }

    pub(super) fn lap_time_ms(self) -> Option<u32> {
        f32_at(self.0, 22).and_then(time_ms)
    }

    /// Returns the participant's number, by which other packets name it.
    pub(super) fn participant(self) -> Option<u16> {
        self.u16(30)
    }
}

/// A game state packet.
#[derive(Debug, Clone, Copy)]
pub(super) struct GameState<'a>(pub(super) &'a [u8]);

impl<'a> GameState<'a> {
    pub(super) fn newest(seen: Seen<'a>) -> Option<Self> {
        seen.stream(GAME_STATE).map(|frame| Self(frame.bytes))
    }

    pub(super) fn game(self) -> Option<u8> {
        self.0.get(14).map(|states| states & 0x7)
    }

    pub(super) fn session(self) -> Option<u8> {
        self.0.get(14).map(|states| states >> 4)
    }

    pub(super) fn build(self) -> Option<u16> {
        array_at(self.0, 12).map(u16::from_le_bytes)
    }

    pub(super) fn air_celsius(self) -> Option<f32> {
        self.0.get(15).map(|celsius| f32::from(celsius.cast_signed()))
    }

    pub(super) fn track_celsius(self) -> Option<f32> {
        self.0.get(16).map(|celsius| f32::from(celsius.cast_signed()))
    }
}

/// Returns the presence. The game state may arrive ten seconds after the other packets; until then, a car on the track means that the game is live.
pub(super) fn presence(state: Option<GameState<'_>>, timings: Option<Timings<'_>>) -> Presence {
    match (state.and_then(GameState::game), timings) {
        (Some(game), _) => states::presence(game),
        (None, Some(timings)) if timings.is_running() => Presence::Live,
        _ => Presence::Off,
    }
}
