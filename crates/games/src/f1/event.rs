//! Events: a code of four letters, and 12 bytes whose meaning depends on it.
//!
//! Bytes beyond an event's own fields are left over from earlier events: they differ between otherwise equal packets.
use super::header::Header;
use super::{format_and_packet_id, packet_layout};
use crate::bytes::{array_at, f32_at};

/// The packet id of events.
const EVENT: u8 = 3;

/// An event. Cars are indices into the arrays of other packets.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// `SSTA`: the session starts.
    SessionStarted,
    /// `SEND`: the session ends.
    SessionEnded,
    /// `FTLP`: a car has driven the fastest lap.
    FastestLap {
        /// The car.
        car: u8,
        /// Its time in seconds.
        lap_time_s: f32,
    },
    /// `RTMT`: a car retires.
    Retirement {
        /// The car.
        car: u8,
        /// Why, since format 2025.
        reason: Option<u8>,
    },
    /// `DRSE`: race control has enabled DRS.
    DrsEnabled,
    /// `DRSD`: race control has disabled DRS.
    DrsDisabled {
        /// Why, since format 2025.
        reason: Option<u8>,
    },
    /// `TMPT`: the player's team mate is in the pits.
    TeamMateInPits {
        /// The team mate's car.
        car: u8,
    },
    /// `CHQF`: the chequered flag is out.
    ChequeredFlag,
    /// `RCWN`: the race is won.
    RaceWinner {
        /// The winner's car.
        car: u8,
    },
    /// `PENA`: a car received a penalty or a warning.
    Penalty {
        /// Kind of penalty.
        penalty: u8,
        /// Kind of infringement.
        infringement: u8,
        /// The car.
        car: u8,
        /// The other car that was involved; 255 if none was.
        other_car: u8,
        /// Seconds; 255 if it is not a time.
        time_s: u8,
        /// The lap in which it happened.
        lap: u8,
        /// Places gained by it.
        places_gained: u8,
    },
    /// `SPTP`: a car has passed the speed trap.
    SpeedTrap {
        /// The car.
        car: u8,
        /// Its speed in km/h.
        speed_kmh: f32,
        /// Whether this is the highest speed of the session.
        fastest_of_session: bool,
        /// Whether this is the driver's highest speed of the session.
        fastest_of_driver: bool,
        /// The fastest car of the session.
        fastest_car: u8,
        /// Its speed in km/h.
        fastest_kmh: f32,
    },
    /// `STLG`: start lights.
    StartLights {
        /// How many are on.
        lights: u8,
    },
    /// `LGOT`: lights out.
    LightsOut,
    /// `DTSV`: a drive-through penalty was served.
    DriveThroughServed {
        /// The car.
        car: u8,
    },
    /// `SGSV`: a stop-go penalty was served.
    StopGoServed {
        /// The car.
        car: u8,
        /// How long the car stopped, in seconds, since format 2025.
        stop_time_s: Option<f32>,
    },
    /// `FLBK`: the player uses a flashback.
    Flashback {
        /// The frame to which the game returns.
        frame: u32,
        /// Its session time in seconds.
        session_time_s: f32,
    },
    /// `BUTN`: the player's buttons have changed.
    Buttons {
        /// A bit for each button that is pressed.
        pressed: u32,
    },
    /// `RDFL`: a red flag is out.
    RedFlag,
    /// `OVTK`: a car overtakes another one.
    Overtake {
        /// The car that overtakes.
        car: u8,
        /// The car that is overtaken.
        overtaken: u8,
    },
    /// `SCAR`: the safety car.
    SafetyCar {
        /// 0 none, 1 full, 2 virtual, 3 formation lap.
        kind: u8,
        /// 0 deployed, 1 returning, 2 returned, 3 the race resumes.
        what: u8,
    },
    /// `COLL`: two cars have collided.
    Collision {
        /// One car.
        car: u8,
        /// The other car.
        other_car: u8,
        /// How severe it was, since format 2026.
        severity: Option<u8>,
    },
    /// An unknown event.
    Other {
        /// Its code.
        code: [u8; 4],
    },
}

/// Decodes a datagram with an event; `None` for any other datagram, and for other lengths.
#[must_use]
pub fn event(datagram: &[u8]) -> Option<Event> {
    let (format, packet_id) = format_and_packet_id(datagram)?;
    let layout = packet_layout(format, packet_id).filter(|_| packet_id == EVENT)?;
    if layout.frame_bytes() as usize != datagram.len() {
        return None;
    }
    let (code, details) = datagram.get(Header::bytes(format)..)?.split_first_chunk::<4>()?;
    let byte = |at: usize| details.get(at).copied();
    let since = |year: u16, at: usize| byte(at).filter(|_| format >= year);
    Some(match code {
        b"SSTA" => Event::SessionStarted,
        b"SEND" => Event::SessionEnded,
        b"FTLP" => Event::FastestLap { car: byte(0)?, lap_time_s: f32_at(details, 1)? },
        b"RTMT" => Event::Retirement { car: byte(0)?, reason: since(2025, 1) },
        b"DRSE" => Event::DrsEnabled,
        b"DRSD" => Event::DrsDisabled { reason: since(2025, 0) },
        b"TMPT" => Event::TeamMateInPits { car: byte(0)? },
        b"CHQF" => Event::ChequeredFlag,
        b"RCWN" => Event::RaceWinner { car: byte(0)? },
        b"PENA" => Event::Penalty {
            penalty: byte(0)?,
            infringement: byte(1)?,
            car: byte(2)?,
            other_car: byte(3)?,
            time_s: byte(4)?,
            lap: byte(5)?,
            places_gained: byte(6)?,
        },
        b"SPTP" => Event::SpeedTrap {
            car: byte(0)?,
            speed_kmh: f32_at(details, 1)?,
            fastest_of_session: byte(5)? != 0,
            fastest_of_driver: byte(6)? != 0,
            fastest_car: byte(7)?,
            fastest_kmh: f32_at(details, 8)?,
        },
        b"STLG" => Event::StartLights { lights: byte(0)? },
        b"LGOT" => Event::LightsOut,
        b"DTSV" => Event::DriveThroughServed { car: byte(0)? },
        b"SGSV" => {
            let stop_time_s = f32_at(details, 1).filter(|_| format >= 2025);
            Event::StopGoServed { car: byte(0)?, stop_time_s }
        }
        b"FLBK" => Event::Flashback {
            frame: array_at(details, 0).map(u32::from_le_bytes)?,
            session_time_s: f32_at(details, 4)?,
        },
        b"BUTN" => Event::Buttons { pressed: array_at(details, 0).map(u32::from_le_bytes)? },
        b"RDFL" => Event::RedFlag,
        b"OVTK" => Event::Overtake { car: byte(0)?, overtaken: byte(1)? },
        b"SCAR" => Event::SafetyCar { kind: byte(0)?, what: byte(1)? },
        b"COLL" => Event::Collision { car: byte(0)?, other_car: byte(1)?, severity: since(2026, 2) },
        _ => Event::Other { code: *code },
    })
}

/// Returns whether a packet is the event that ends a session.
pub(super) fn is_session_end(packet: &[u8]) -> bool {
    event(packet) == Some(Event::SessionEnded)
}
