//! Reads channels by name, in any structure.
use crate::bytes::{array_at, f32_at, f64_at};
use crate::capture::SeenFrame;
use crate::layout::Kind;

/// Returns the value of a channel; `None` if the structure does not have it, or if it is NaN or infinite.
pub(super) fn number(frame: SeenFrame<'_>, name: &str) -> Option<f64> {
    let channel = frame.layout.channel(name)?;
    let at = channel.offset as usize;
    let value = match channel.kind {
        Kind::F32 => f32_at(frame.bytes, at)?.into(),
        Kind::F64 => f64_at(frame.bytes, at)?,
        Kind::U16 => array_at(frame.bytes, at).map(u16::from_le_bytes)?.into(),
        Kind::U8 | Kind::Bool => f64::from(*frame.bytes.get(at)?),
        _ => return None,
    };
    Some(value).filter(|value| value.is_finite())
}

/// Returns the value of a channel in single precision.
pub(super) fn f32_of(frame: SeenFrame<'_>, name: &str) -> Option<f32> {
    number(frame, name).map(|value| value as f32).filter(|value| value.is_finite())
}

/// Returns the value of a channel that holds a small integer.
pub(super) fn whole(frame: SeenFrame<'_>, name: &str) -> Option<u16> {
    number(frame, name).filter(|value| (0.0..65_536.0).contains(value)).map(|value| value as u16)
}

/// Returns the sequence number of the packet.
pub(super) fn uid(frame: SeenFrame<'_>) -> Option<u64> {
    let channel = frame.layout.channel("packet_uid").filter(|channel| channel.kind == Kind::U64)?;
    array_at(frame.bytes, channel.offset as usize).map(u64::from_le_bytes)
}

/// The values that identify stage and car.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Ids {
    location: Option<u16>,
    route: Option<u16>,
    vehicle: Option<u16>,
    length_m: Option<f64>,
    /// Highest engine speed, idle speed, number of gears.
    engine: Option<[u32; 3]>,
}

impl Ids {
    pub(super) fn of(frame: SeenFrame<'_>) -> Self {
        let [highest, idle, gears] =
            ["vehicle_engine_rpm_max", "vehicle_engine_rpm_idle", "vehicle_gear_maximum"].map(|name| {
                number(frame, name).filter(|value| (0.0..1e6).contains(value)).map(|value| value.round() as u32)
            });
        Self {
            location: whole(frame, "location_id"),
            route: whole(frame, "route_id"),
            vehicle: whole(frame, "vehicle_id"),
            length_m: number(frame, "stage_length").filter(|metres| *metres > 0.0),
            engine: highest.zip(idle).zip(gears).map(|((highest, idle), gears)| [highest, idle, gears]),
        }
    }

    pub(super) fn length_m(&self) -> Option<f64> {
        self.length_m
    }

    /// Returns a description of the stage: its ids, or its length if there are none. The names are in files of the game.
    pub(super) fn track(&self) -> Option<String> {
        match (self.location, self.route, self.length_m) {
            (Some(location), Some(route), _) => Some(format!("location {location}, route {route}")),
            (_, _, Some(metres)) => Some(format!("{metres:.2} m")),
            _ => None,
        }
    }

    /// Returns a description of the car: its id, or the data of its engine if there is none.
    pub(super) fn car(&self) -> Option<String> {
        let engine = |[highest, idle, gears]: [u32; 3]| format!("{highest} rpm, idle {idle} rpm, {gears} gears");
        self.vehicle.map(|vehicle| format!("vehicle {vehicle}")).or_else(|| self.engine.map(engine))
    }

    /// Returns a hash of stage and car; `None` if the stage is not known.
    pub(super) fn key(&self) -> Option<u64> {
        let length = self.length_m?.to_bits();
        let numbers = [self.location, self.route, self.vehicle].map(|id| id.map_or(u64::MAX, u64::from));
        let engine = self.engine.unwrap_or_default().map(u64::from);
        Some(
            numbers
                .into_iter()
                .chain(engine)
                .fold(length, |key, part| (key ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23)),
        )
    }
}
