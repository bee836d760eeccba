//! The channels that a structure can list, with type and unit, and the structure that the game comes with.
use crate::layout::Kind::{self, Bool, Char, F32, F64, U8, U16, U64};
use crate::layout::{Channel, Layout, LayoutError};

/// Length of `session_update` in the game's own structure.
pub(super) const DEFAULT_BYTES: usize = 237;

/// Returns the layout of these channels, packed in this order; the name of the first unknown one if there is one.
pub(super) fn packed<'a>(
    id: String,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<Result<Layout, LayoutError>, String> {
    let (mut channels, mut end) = (Vec::new(), 0);
    for name in names {
        let (name, kind, unit) = CHANNELS.iter().find(|(known, ..)| *known == name).ok_or_else(|| name.to_owned())?;
        // A 4CC is the only channel with several values.
        let count = if *kind == Char { 4 } else { 1 };
        channels.push(Channel::fixed(name, end, *kind, count, unit));
        end += count * kind.bytes();
    }
    Ok(Layout::new(id, end, channels))
}

/// Returns the layout of `session_update` in the game's own structure.
pub(super) fn default_layout() -> Option<Layout> {
    packed("ea-wrc-default-session-update".into(), DEFAULT.iter().copied()).ok()?.ok()
}

type Description = (&'static str, Kind, &'static str);

/// All channels: axes x left, y up, z forward; wheels back left, back right, front left, front right.
const CHANNELS: &[Description] = &[
    ("packet_4cc", Char, ""),
    ("packet_uid", U64, ""),
    ("game_total_time", F32, "s"),
    ("game_delta_time", F32, "s"),
    ("game_frame_count", U64, ""),
    ("shiftlights_fraction", F32, ""),
    ("shiftlights_rpm_start", F32, "rpm"),
    ("shiftlights_rpm_end", F32, "rpm"),
    ("shiftlights_rpm_valid", Bool, ""),
    ("vehicle_gear_index", U8, ""),
    ("vehicle_gear_index_neutral", U8, ""),
    ("vehicle_gear_index_reverse", U8, ""),
    ("vehicle_gear_maximum", U8, ""),
    ("vehicle_speed", F32, "m/s"),
    ("vehicle_transmission_speed", F32, "m/s"),
    ("vehicle_position_x", F32, "m"),
    ("vehicle_position_y", F32, "m"),
    ("vehicle_position_z", F32, "m"),
    ("vehicle_velocity_x", F32, "m/s"),
    ("vehicle_velocity_y", F32, "m/s"),
    ("vehicle_velocity_z", F32, "m/s"),
    ("vehicle_acceleration_x", F32, "m/s^2"),
    ("vehicle_acceleration_y", F32, "m/s^2"),
    ("vehicle_acceleration_z", F32, "m/s^2"),
    ("vehicle_left_direction_x", F32, ""),
    ("vehicle_left_direction_y", F32, ""),
    ("vehicle_left_direction_z", F32, ""),
    ("vehicle_forward_direction_x", F32, ""),
    ("vehicle_forward_direction_y", F32, ""),
    ("vehicle_forward_direction_z", F32, ""),
    ("vehicle_up_direction_x", F32, ""),
    ("vehicle_up_direction_y", F32, ""),
    ("vehicle_up_direction_z", F32, ""),
    ("vehicle_hub_position_bl", F32, "m"),
    ("vehicle_hub_position_br", F32, "m"),
    ("vehicle_hub_position_fl", F32, "m"),
    ("vehicle_hub_position_fr", F32, "m"),
    ("vehicle_hub_velocity_bl", F32, "m/s"),
    ("vehicle_hub_velocity_br", F32, "m/s"),
    ("vehicle_hub_velocity_fl", F32, "m/s"),
    ("vehicle_hub_velocity_fr", F32, "m/s"),
    ("vehicle_cp_forward_speed_bl", F32, "m/s"),
    ("vehicle_cp_forward_speed_br", F32, "m/s"),
    ("vehicle_cp_forward_speed_fl", F32, "m/s"),
    ("vehicle_cp_forward_speed_fr", F32, "m/s"),
    ("vehicle_brake_temperature_bl", F32, "degC"),
    ("vehicle_brake_temperature_br", F32, "degC"),
    ("vehicle_brake_temperature_fl", F32, "degC"),
    ("vehicle_brake_temperature_fr", F32, "degC"),
    ("vehicle_engine_rpm_max", F32, "rpm"),
    ("vehicle_engine_rpm_idle", F32, "rpm"),
    ("vehicle_engine_rpm_current", F32, "rpm"),
    ("vehicle_throttle", F32, ""),
    ("vehicle_brake", F32, ""),
    ("vehicle_clutch", F32, ""),
    ("vehicle_handbrake", F32, ""),
    ("vehicle_steering", F32, ""),
    ("stage_current_time", F32, "s"),
    ("stage_current_distance", F64, "m"),
    ("stage_length", F64, "m"),
    ("vehicle_id", U16, ""),
    ("vehicle_class_id", U16, ""),
    ("vehicle_manufacturer_id", U16, ""),
    ("location_id", U16, ""),
    ("route_id", U16, ""),
    // Since version 1.7 of the game.
    ("stage_shakedown", Bool, ""),
    // Since version 1.8.
    ("game_mode", U8, ""),
    ("stage_previous_split_time", F32, "s"),
    ("stage_progress", F32, ""),
    ("stage_result_time", F32, "s"),
    ("stage_result_time_penalty", F32, "s"),
    ("stage_result_status", U8, ""),
    ("vehicle_cluster_abs", Bool, ""),
    ("vehicle_tyre_state_bl", U8, ""),
    ("vehicle_tyre_state_br", U8, ""),
    ("vehicle_tyre_state_fl", U8, ""),
    ("vehicle_tyre_state_fr", U8, ""),
];

/// The game's own structure `wrc`, packet `session_update`.
const DEFAULT: &[&str] = &[
    "packet_uid",
    "game_total_time",
    "game_delta_time",
    "game_frame_count",
    "shiftlights_fraction",
    "shiftlights_rpm_start",
    "shiftlights_rpm_end",
    "shiftlights_rpm_valid",
    "vehicle_gear_index",
    "vehicle_gear_index_neutral",
    "vehicle_gear_index_reverse",
    "vehicle_gear_maximum",
    "vehicle_speed",
    "vehicle_transmission_speed",
    "vehicle_position_x",
    "vehicle_position_y",
    "vehicle_position_z",
    "vehicle_velocity_x",
    "vehicle_velocity_y",
    "vehicle_velocity_z",
    "vehicle_acceleration_x",
    "vehicle_acceleration_y",
    "vehicle_acceleration_z",
    "vehicle_left_direction_x",
    "vehicle_left_direction_y",
    "vehicle_left_direction_z",
    "vehicle_forward_direction_x",
    "vehicle_forward_direction_y",
    "vehicle_forward_direction_z",
    "vehicle_up_direction_x",
    "vehicle_up_direction_y",
    "vehicle_up_direction_z",
    "vehicle_hub_position_bl",
    "vehicle_hub_position_br",
    "vehicle_hub_position_fl",
    "vehicle_hub_position_fr",
    "vehicle_hub_velocity_bl",
    "vehicle_hub_velocity_br",
    "vehicle_hub_velocity_fl",
    "vehicle_hub_velocity_fr",
    "vehicle_cp_forward_speed_bl",
    "vehicle_cp_forward_speed_br",
    "vehicle_cp_forward_speed_fl",
    "vehicle_cp_forward_speed_fr",
    "vehicle_brake_temperature_bl",
    "vehicle_brake_temperature_br",
    "vehicle_brake_temperature_fl",
    "vehicle_brake_temperature_fr",
    "vehicle_engine_rpm_max",
    "vehicle_engine_rpm_idle",
    "vehicle_engine_rpm_current",
    "vehicle_throttle",
    "vehicle_brake",
    "vehicle_clutch",
    "vehicle_steering",
    "vehicle_handbrake",
    "stage_current_time",
    "stage_current_distance",
    "stage_length",
];
