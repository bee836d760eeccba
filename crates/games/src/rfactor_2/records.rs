//! Builds layouts of frames that consist of records, such as one for each vehicle.
use crate::layout::{Channel, Kind, Layout, LayoutError};

use super::tables::{SCORING, SCORING_LMU, VEHICLE, VEHICLE_LMU, WHEEL, WHEEL_LMU};

/// Length of the telemetry of a vehicle.
pub(crate) const VEHICLE_BYTES: u32 = 1888;
/// Its wheels: offset of the first and length of each.
pub(crate) const WHEELS_AT: u32 = 848;
pub(crate) const WHEEL_BYTES: u32 = 260;
/// Length of a vehicle in the classification.
pub(crate) const SCORING_BYTES: u32 = 584;

/// Records of one kind that follow each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    /// Number of the first record in names.
    pub(super) first: u32,
    pub(super) count: u32,
    /// Offset of the first record in the frame.
    pub(super) at: u32,
    /// Length of a record.
    pub(super) bytes: u32,
    pub(super) fields: &'static [Channel],
}

impl Table {
    /// Adds the channels of all records: `name[0].field`.
    pub(super) fn put(&self, channels: &mut Vec<Channel>, name: &str) {
        for record in 0..self.count {
            put(channels, &format!("{name}[{}].", self.first + record), self.at + record * self.bytes, self.fields);
        }
    }
}

/// Adds the channels of a record at an offset.
pub(crate) fn put(channels: &mut Vec<Channel>, prefix: &str, at: u32, fields: &[Channel]) {
    channels.extend(fields.iter().map(|field| Channel {
        name: format!("{prefix}{}", field.name).into(),
        offset: at + field.offset,
        ..field.clone()
    }));
}

/// Adds the two version words with which a section of rFactor 2 begins.
pub(super) fn versions(channels: &mut Vec<Channel>) {
    channels.push(Channel::fixed("mVersionUpdateBegin", 0, Kind::U32, 1, ""));
    channels.push(Channel::fixed("mVersionUpdateEnd", 4, Kind::U32, 1, ""));
}

/// Builds a layout.
pub(crate) fn layout(id: String, frame_bytes: u32, put: impl FnOnce(&mut Vec<Channel>)) -> Result<Layout, LayoutError> {
    let mut channels = Vec::new();
    put(&mut channels);
    Layout::new(id, frame_bytes, channels)
}

/// Builds the layout of a frame that is the telemetry of these vehicles.
pub(crate) fn telemetry_cars(id: String, first: u32, count: u32, is_lmu: bool) -> Result<Layout, LayoutError> {
    layout(id, count * VEHICLE_BYTES, |channels| {
        for record in 0..count {
            let (at, prefix) = (record * VEHICLE_BYTES, format!("cars[{}].", first + record));
            put(channels, &prefix, at, VEHICLE);
            if is_lmu {
                put(channels, &prefix, at, VEHICLE_LMU);
            }
            for wheel in 0..4 {
                let (at, prefix) = (at + WHEELS_AT + wheel * WHEEL_BYTES, format!("{prefix}mWheels[{wheel}]."));
                put(channels, &prefix, at, WHEEL);
                if is_lmu {
                    put(channels, &prefix, at, WHEEL_LMU);
                }
            }
        }
    })
}

/// Builds the layout of a frame that is the classification of this many vehicles.
pub(crate) fn scoring_cars(id: String, count: u32, is_lmu: bool) -> Result<Layout, LayoutError> {
    layout(id, count * SCORING_BYTES, |channels| {
        for record in 0..count {
            let (at, prefix) = (record * SCORING_BYTES, format!("cars[{record}]."));
            put(channels, &prefix, at, SCORING);
            if is_lmu {
                put(channels, &prefix, at, SCORING_LMU);
            }
        }
    })
}

/// Makes a layout live as long as the program. A table with an error would be left out; tests build all of them.
pub(crate) fn leaked(layout: Result<Layout, LayoutError>) -> Vec<&'static Layout> {
    layout.into_iter().map(|layout| &*Box::leak(Box::new(layout))).collect()
}
