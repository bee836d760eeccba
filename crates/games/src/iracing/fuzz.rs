//! For the fuzz targets and mutation tests only. Each function panics if an invariant that must hold for any input does
//! not, which means that this crate has a bug.
use std::ops::Range;

use super::{
    HEADER_BYTES, Ibt, IbtError, LiveBuffer, LiveMap, RowTimes, read_var_headers, session_info, session_text,
    session_text_bytes,
};
use crate::capture::SeenFrame;
use crate::sample::Sample;

fn slice(data: &[u8], range: Range<u64>) -> Option<&[u8]> {
    data.get(usize::try_from(range.start).ok()?..usize::try_from(range.end).ok()?)
}

/// Runs all `.ibt` parsers.
pub fn fuzz_ibt(data: &[u8]) {
    let parsed = Ibt::parse(data);
    assert!(!matches!(parsed, Err(IbtError::Layout { .. })), "bad variables are left out, not fatal: {parsed:?}");
    let Ok(ibt) = parsed else { return };
    let slice = |range| slice(data, range);
    let text = slice(ibt.session_text.clone()).map(session_text).unwrap_or_default();
    assert!(text.len() <= data.len() * 3, "text of {} bytes from {} bytes", text.len(), data.len());
    let mut times = RowTimes::new(&ibt);
    let mut last_ns = 0;
    for index in 0..ibt.rows.count {
        let row = ibt.rows.range(index).and_then(slice);
        assert!(row.is_some(), "row {index} of {} is outside the file", ibt.rows.count);
        let time = times.step(row.unwrap_or_default());
        assert!(time.ns >= last_ns, "row {index} is before the one before it");
        last_ns = time.ns;
    }
    for problem in &ibt.problems {
        assert!(!problem.to_string().is_empty());
    }
}

/// Runs all parsers of the live memory: `data` is the section.
pub fn fuzz_irsdk_map(data: &[u8]) {
    let front = data.get(..HEADER_BYTES).unwrap_or(data);
    let map = match LiveMap::read(front, data.len() as u64) {
        Ok(Some(map)) => map,
        Ok(None) => return,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let headers = slice(data, map.var_headers.clone());
    assert!(headers.is_some(), "variable headers outside the section: {map:?}");
    let table = read_var_headers(headers.unwrap_or_default(), map.row_bytes);
    assert!(table.is_ok(), "bad variables are left out, not fatal: {table:?}");
    let Ok(table) = table else { return };
    let text = slice(data, map.session_text.clone());
    assert!(text.is_some(), "session text outside the section: {map:?}");
    fuzz_session_info(session_text_bytes(text.unwrap_or_default()));

    let newer = map.newer_than(None);
    let ticks: Vec<i32> = newer.as_slice().iter().map(|buffer| buffer.tick).collect();
    assert!(ticks.is_sorted() && ticks.len() <= map.buffers().len());
    let mut decoder = super::GAME.rules.decoder();
    for buffer in newer.as_slice() {
        let LiveBuffer { offset, tick, .. } = *buffer;
        let row = slice(data, offset..offset + u64::from(map.row_bytes));
        assert!(row.is_some(), "row of tick {tick} outside the section: {map:?}");
        let row = SeenFrame { stream: "telemetry", layout: &table.layout, bytes: row.unwrap_or_default() };
        decoder.frame(row, &mut Sample::default());
        assert!(map.newest_tick() != Some(tick) || !map.is_reconnect(tick));
        assert!(!map.newer_than(Some(tick)).as_slice().iter().any(|other| other.tick <= tick));
        let _ = map.is_whole(buffer);
    }
}

/// Runs the session info parser.
pub fn fuzz_session_info(data: &[u8]) {
    let text = session_text(data);
    let laps = super::lap_text::lap_text(&text);
    assert!(laps.sector_starts.iter().all(|start| (0.0..1.0).contains(start)), "{laps:?}");
    for number in [None, Some(0), Some(-1), Some(i64::MAX)] {
        let info = session_info(&text, number);
        for said in
            [info.track, info.track_layout, info.car, info.game_version, info.session_type].into_iter().flatten()
        {
            assert!(text.contains(&said), "{said:?} is not in the text");
        }
    }
}
