//! DiRT Rally 2: a file of consecutive datagrams of 66 floats (264 bytes, extradata 3). The file holds no arrival
//! times; the game sends at 60 Hz.

use anyhow::{Result, ensure};

use super::{DataSet, Field, StreamShape};

const FRAME_BYTES: usize = 264;
const HZ: u64 = 60;
const SPEED_OFFSET: usize = 28;

/// Known names: index of the first float, number of floats, name.
const NAMES: [(usize, usize, &str); 32] = [
    (0, 1, "run_time"),
    (1, 1, "lap_time"),
    (2, 1, "distance"),
    (3, 1, "progress"),
    (4, 3, "position"),
    (7, 1, "speed"),
    (8, 3, "velocity"),
    (11, 3, "roll"),
    (14, 3, "pitch"),
    (17, 4, "suspension_position"),
    (21, 4, "suspension_velocity"),
    (25, 4, "wheel_speed"),
    (29, 1, "throttle"),
    (30, 1, "steer"),
    (31, 1, "brake"),
    (32, 1, "clutch"),
    (33, 1, "gear"),
    (34, 2, "g_force"),
    (36, 1, "lap"),
    (37, 1, "engine_rate"),
    (38, 10, "unnamed_38"),
    (48, 1, "sector"),
    (49, 2, "unnamed_49"),
    (51, 4, "brake_temperature"),
    (55, 4, "unnamed_55"),
    (59, 1, "laps_done"),
    (60, 1, "total_laps"),
    (61, 1, "track_length"),
    (62, 1, "last_lap"),
    (63, 1, "max_engine_rate"),
    (64, 1, "unnamed_64"),
    (65, 1, "gears"),
];

/// Returns the layout of the datagram.
pub(crate) fn stream() -> StreamShape {
    let fields = NAMES.iter().map(|&(first, count, name)| Field::new(name, first * 4, 4, true, count)).collect();
    StreamShape { name: "udp".into(), row_bytes: FRAME_BYTES, fields }
}

/// Parses consecutive datagrams.
pub(crate) fn parse(name: &str, data: Vec<u8>) -> Result<DataSet> {
    ensure!(!data.is_empty() && data.len().is_multiple_of(FRAME_BYTES), "not a whole number of 264-byte datagrams");
    Ok(DataSet::of_one_stream(name, stream(), SPEED_OFFSET, data, HZ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_layout_is_66_floats_without_gaps() {
        let columns = stream().columns();
        assert_eq!(columns.len(), 66);
        assert!(columns.iter().enumerate().all(|(i, c)| c.offset == 4 * i && c.width == 4 && c.float));
    }

    #[test]
    fn half_a_datagram_is_an_error() {
        assert!(parse("x", vec![0; 264 + 132]).is_err());
    }
}
