//! War Thunder: `/state` as packed by GamesDat. Names are those of the game's API response, without the units they
//! contain.
use crate::layout::Kind::{Bool, F32, I32, I64};
use crate::layout::Layout;
use crate::layout::packed::{Item, group, layout, skip, value};

/// Game id in recordings.
pub const GAME_ID: &str = "war-thunder";

/// Version 2: 293 bytes of values from byte 1 on without padding, followed by 3 meaningless bytes.
pub const STATE_2_BYTES: u32 = 296;

/// Version 1.
pub const STATE_1_BYTES: u32 = 112;

/// Returns the layout of states of this length.
#[must_use]
pub fn state_layout(bytes: u32) -> Option<Layout> {
    match bytes {
        STATE_2_BYTES => {
            layout("war-thunder-state-2".into(), 2, &[STATE_2, &[group("engine", 4, ENGINE), skip(3)]]).ok()
        }
        STATE_1_BYTES => layout("war-thunder-state-1".into(), 1, &[STATE_1]).ok(),
        _ => None,
    }
}

const STATE_2: &[Item] = &[
    value("valid", Bool, ""),
    value("aileron", F32, "%"),
    value("elevator", F32, "%"),
    value("rudder", F32, "%"),
    value("flaps", F32, "%"),
    value("H", F32, "m"),
    value("TAS", F32, "km/h"),
    value("IAS", F32, "km/h"),
    value("M", F32, ""),
    value("AoA", F32, "deg"),
    value("AoS", F32, "deg"),
    value("Ny", F32, ""),
    value("Vy", F32, "m/s"),
    value("Wx", F32, "deg/s"),
    value("Mfuel", F32, "kg"),
    value("Mfuel0", F32, "kg"),
    value("gear", I32, "%"),
    value("airbrake", I32, "%"),
];

const ENGINE: &[Item] = &[
    value("throttle", F32, "%"),
    value("RPMThrottle", F32, "%"),
    value("mixture", F32, "%"),
    value("radiator", F32, "%"),
    value("magneto", I32, ""),
    value("power", F32, "hp"),
    value("RPM", F32, ""),
    value("manifoldPressure", F32, "atm"),
    value("waterTemp", F32, "degC"),
    value("oilTemp", F32, "degC"),
    value("pitch", F32, "deg"),
    value("thrust", F32, "kgf"),
    value("efficiency", F32, "%"),
    value("compressorStage", F32, ""),
];

const STATE_1: &[Item] = &[
    value("valid", I32, ""),
    value("X", F32, ""),
    value("Y", F32, ""),
    value("Z", F32, ""),
    value("Vx", F32, ""),
    value("Vy", F32, ""),
    value("Vz", F32, ""),
    value("Wx", F32, ""),
    value("Wy", F32, ""),
    value("Wz", F32, ""),
    value("AoA", F32, ""),
    value("AoS", F32, ""),
    value("IAS", F32, ""),
    value("TAS", F32, ""),
    value("M", F32, ""),
    value("H", F32, ""),
    value("Ny", F32, ""),
    value("throttle", F32, ""),
    value("RPM", F32, ""),
    value("manifoldPressure", F32, ""),
    value("power", F32, ""),
    value("flaps", F32, ""),
    value("gear", F32, ""),
    value("airbrake", F32, ""),
    value("compass", F32, ""),
    value("fuel", F32, ""),
    value("time", I64, "ms"),
];
