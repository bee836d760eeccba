//! Tables of version 3 of the page. Text is UTF-8; reserved bytes have no channel.
use std::sync::LazyLock;

use super::TELEMETRY_BYTES;
use crate::layout::Kind::{Char, F32, I32, U32};
use crate::layout::Layout;
use crate::layout::packed::{Item, array, layout, skip, value};
use crate::layout::records::leaked;

/// The page without its header, as other programs record it: game, race, object, vehicle, device, player.
#[must_use]
pub fn telemetry_layout() -> Option<Layout> {
    layout("trackmania-telemetry-3".into(), 3, &[TELEMETRY]).ok()
}

/// Returns the layout of the page.
pub(super) fn page_layouts() -> &'static [&'static Layout] {
    static LAYOUTS: LazyLock<Vec<&'static Layout>> =
        LazyLock::new(|| leaked([layout("trackmania-page-3".into(), 3, &[HEADER, TELEMETRY])]));
    &LAYOUTS
}

/// Returns the layout of the page without its header.
pub(super) fn telemetry_layouts() -> &'static [&'static Layout] {
    static LAYOUTS: LazyLock<Vec<&'static Layout>> = LazyLock::new(|| {
        debug_assert!(telemetry_layout().is_some_and(|layout| layout.frame_bytes() == TELEMETRY_BYTES));
        leaked(telemetry_layout().map(Ok))
    });
    &LAYOUTS
}

const HEADER: &[Item] = &[
    array("header.magic", Char, 32, ""),
    value("header.version", U32, ""),
    value("header.size", U32, ""),
    value("header.updateNumber", U32, ""),
];

const TELEMETRY: &[Item] = &[
    value("game.state", U32, ""),
    array("game.variant", Char, 64, ""),
    array("game.mapId", Char, 64, ""),
    array("game.mapName", Char, 256, ""),
    skip(128),
    value("race.state", U32, ""),
    value("race.time", U32, "ms"),
    value("race.respawns", U32, ""),
    value("race.checkpoints", U32, ""),
    array("race.checkpointTimes", U32, 125, "ms"),
    value("race.checkpointsPerLap", U32, ""),
    value("race.laps", U32, ""),
    value("race.timestamp", U32, ""),
    value("race.startTimestamp", U32, ""),
    skip(16),
    value("object.timestamp", U32, ""),
    value("object.discontinuityCount", U32, ""),
    array("object.quaternion", F32, 4, ""),
    array("object.position", F32, 3, "m"),
    array("object.velocity", F32, 3, "m/s"),
    value("object.lastStableGroundContact", U32, ""),
    skip(32),
    value("vehicle.timestamp", U32, ""),
    value("vehicle.steer", F32, ""),
    value("vehicle.gas", F32, ""),
    value("vehicle.braking", U32, ""),
    value("vehicle.horn", U32, ""),
    value("vehicle.rpm", F32, "rpm"),
    value("vehicle.gear", I32, ""),
    value("vehicle.turbo", F32, ""),
    value("vehicle.freewheel", U32, ""),
    array("vehicle.groundContact", U32, 4, ""),
    array("vehicle.slipping", U32, 4, ""),
    array("vehicle.damper", F32, 4, ""),
    value("vehicle.damperMin", F32, ""),
    value("vehicle.damperMax", F32, ""),
    value("vehicle.rumble", F32, ""),
    value("vehicle.speed", U32, "km/h"),
    value("vehicle.water", U32, ""),
    value("vehicle.sparkling", U32, ""),
    value("vehicle.lightTrails", U32, ""),
    value("vehicle.lights", U32, ""),
    value("vehicle.flying", U32, ""),
    value("vehicle.ice", U32, ""),
    value("vehicle.handicap", U32, ""),
    value("vehicle.boost", F32, ""),
    skip(20),
    array("device.euler", F32, 3, ""),
    value("device.yaw", F32, ""),
    value("device.altitude", F32, ""),
    skip(32),
    value("player.local", U32, ""),
    array("player.trigram", Char, 4, ""),
    array("player.number", Char, 4, ""),
    value("player.hue", F32, ""),
    array("player.userName", Char, 256, ""),
    skip(28),
];
