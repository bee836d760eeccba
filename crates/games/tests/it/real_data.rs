//! Real recordings, if there are any: see `GAMETAPE_REAL_DATA`.
#![allow(clippy::unwrap_used)]
use crate::support;

use std::path::Path;

use gametape_games::iracing::{
    HEADER_BYTES, Ibt, IbtError, IrsdkHeader, RowTimes, VAR_HEADER_BYTES, read_var_headers, session_text,
};
use gametape_games::{Kind, fuzz_ibt};

/// Parses a file without defects and times its rows.
fn whole(directory: &Path, name: &str) -> (Ibt, RowTimes, u64) {
    let file = std::fs::read(directory.join("ibt").join(name)).unwrap();
    fuzz_ibt(&file);
    let ibt = Ibt::parse(&file).unwrap();
    assert_eq!(ibt.problems, []);
    let slice = |range: std::ops::Range<u64>| &file[range.start as usize..range.end as usize];
    assert!(session_text(slice(ibt.session_text.clone())).starts_with("---\nWeekendInfo:\n"));
    let covered: u64 = ibt.layout.channels().iter().map(|channel| channel.bytes()).sum();
    assert_eq!(covered, u64::from(ibt.rows.row_bytes), "every byte of a row belongs to a channel");
    let mut times = RowTimes::new(&ibt);
    let last = (0..ibt.rows.count).map(|index| times.step(slice(ibt.rows.range(index).unwrap())).ns).last().unwrap();
    (ibt, times, last)
}

#[test]
fn sebring_has_2683_rows_of_285_variables() {
    let Some(directory) = support::real_data("sebring_has_2683_rows_of_285_variables") else { return };
    let (ibt, times, last_ns) = whole(&directory, "sebring_amg_gt4.ibt");
    assert_eq!((ibt.rows.count, ibt.rows.row_bytes, ibt.layout.channels().len()), (2683, 1099, 285));
    assert_eq!((ibt.disk.lap_count, ibt.header.tick_rate_hz), (2, 60));
    let torque = ibt.layout.channels().iter().position(|c| c.name == "SteeringWheelTorque_ST").unwrap();
    assert_eq!((ibt.layout.channels()[torque].kind, ibt.layout.channels()[torque].count), (Kind::F32, 6));
    assert!(ibt.details[torque].count_as_time);
    assert_eq!((times.rows_by_session_time(), times.rows_by_tick_rate()), (2683, 0));
    let recorded_s = ibt.disk.end_time_s - ibt.disk.start_time_s;
    assert!((last_ns as f64 / 1e9 - recorded_s).abs() < 0.05, "{last_ns} ns, {recorded_s} s");
}

#[test]
fn red_bull_ring_has_390_rows_of_1072_bytes() {
    let Some(directory) = support::real_data("red_bull_ring_has_390_rows_of_1072_bytes") else { return };
    let (ibt, times, last_ns) = whole(&directory, "red_bull_ring_w13.ibt");
    assert_eq!((ibt.rows.count, ibt.rows.row_bytes, ibt.layout.channels().len()), (390, 1072, 276));
    assert_eq!((times.rows_by_session_time(), times.rows_by_tick_rate()), (390, 0));
    let recorded_s = ibt.disk.end_time_s - ibt.disk.start_time_s;
    assert!((last_ns as f64 / 1e9 - recorded_s).abs() < 0.05, "{last_ns} ns, {recorded_s} s");
}

#[test]
fn the_broken_file_is_said_to_be_no_ibt() {
    let Some(directory) = support::real_data("the_broken_file_is_said_to_be_no_ibt") else { return };
    let file = std::fs::read(directory.join("ibt/broken.ibt")).unwrap();
    let error = Ibt::parse(&file).unwrap_err();
    assert!(matches!(error, IbtError::NotIbt { .. }), "{error}");
}

#[test]
fn live_memory_is_read_by_the_same_header_and_variable_parsers() {
    let test = "live_memory_is_read_by_the_same_header_and_variable_parsers";
    let Some(directory) = support::real_data(test) else { return };
    for (name, vars, row_bytes) in [("live_map_a.bin", 287, 7419), ("live_map_b.bin", 323, 8154)] {
        let memory = std::fs::read(directory.join("irsdk-live").join(name)).unwrap();
        let header = IrsdkHeader::read(&memory[..HEADER_BYTES]).unwrap();
        assert_eq!((header.buffer_count, header.var_count, header.row_bytes), (3, vars, row_bytes));
        let offsets: Vec<i32> = header.buffers.iter().map(|buffer| buffer.offset).collect();
        assert_eq!(offsets, [1_114_224, 1_138_800, 1_163_376, 0]);
        let start = header.var_headers_offset as usize;
        let headers = &memory[start..start + header.var_count as usize * VAR_HEADER_BYTES];
        let table = read_var_headers(headers, header.row_bytes as u32).unwrap();
        assert_eq!((table.problems.len(), table.layout.channels().len()), (0, vars as usize));
        assert_eq!(Ibt::parse(&memory).unwrap_err(), IbtError::NotOneBuffer { found: 3 });
    }
}
