//! Parquet files as their own reader sees them: sizes of parts, encodings, files per lap, and what happens when a sink fails. Values are checked
//! by other programs (`tests/independent/columnar.py`).

use std::io;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Int32Type, Int64Type};
use arrow_array::{Array as _, RecordBatch};
use bytes::Bytes;
use gametape_format::read::Tape;
use gametape_format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape_format::{Channel, ChannelType, StreamSpec, TapeId};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Encoding;
use parquet::file::metadata::{PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};

use super::super::{
    Export, ExportError, ExportSink, Exported, Exporter as _, FileOf, Split, choose, choose_every, choose_short,
};
use super::PARQUET;
use crate::laps::tests::tapes::record_simulation;
use crate::laps::track_tape;
use gametape_simulator::{Script, Settings, Simulation};

/// Files in memory.
struct Files {
    split: Split,
    names: Vec<String>,
    files: Vec<Vec<u8>>,
    stream: String,
    /// Fails after this many bytes.
    room: usize,
}

impl Files {
    fn new(split: Split) -> Self {
        Self { split, names: Vec::new(), files: Vec::new(), stream: String::new(), room: usize::MAX }
    }
}

impl ExportSink for Files {
    fn split(&self) -> Split {
        self.split
    }

    fn file(&mut self, of: FileOf<'_>) -> io::Result<()> {
        self.stream = match of {
            FileOf::Stream(stream) => stream.to_owned(),
            FileOf::Session { session, .. } => session.map(|session| session.id.to_string()).unwrap_or_default(),
        };
        Ok(())
    }

    fn part(&mut self, lap: Option<u32>, head: &[u8]) -> io::Result<()> {
        self.names.push(format!("{}{}", self.stream, lap.map(|lap| format!(" lap {lap}")).unwrap_or_default()));
        self.files.push(head.to_vec());
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.room = self.room.checked_sub(bytes.len()).ok_or(io::ErrorKind::StorageFull)?;
        self.files.last_mut().unwrap().extend_from_slice(bytes);
        Ok(())
    }
}

fn read(file: &[u8]) -> Vec<RecordBatch> {
    let reader = ParquetRecordBatchReaderBuilder::try_new(Bytes::copy_from_slice(file)).unwrap().build().unwrap();
    reader.map(Result::unwrap).collect()
}

fn metadata(file: &[u8]) -> ParquetMetaData {
    let reader = ParquetMetaDataReader::new().with_page_index_policy(PageIndexPolicy::Required);
    reader.parse_and_finish(&Bytes::copy_from_slice(file)).unwrap()
}

fn export(what: &Export<'_>, sink: &mut Files) -> Exported {
    PARQUET.export(what, sink).unwrap()
}

/// A tape of one stream with 1,000 frames per second: a wave, a counter and a gear. Every tenth frame is cut off after the counter.
fn own_tape(frames: u64, is_short: bool) -> (tempfile::TempDir, Tape) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.gtape");
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &WriteOptions::new(TapeId([3; 16])), false).unwrap();
    let channels = vec![
        Channel::new("count", ChannelType::U32, 0, 1, ""),
        Channel::new("wave", ChannelType::F32, 4, 1, "m"),
        Channel::new("gear", ChannelType::F32, 8, 1, ""),
        Channel::new("cars", ChannelType::U8, 12, 9, ""),
    ];
    let stream = tape.add_stream(StreamSpec::columns("own", 21, channels), 0).unwrap();
    for frame in 0..frames {
        let wave = (frame as f32 * 0.003).sin() * 20.0;
        let mut bytes =
            [(frame as u32).to_le_bytes(), wave.to_le_bytes(), ((frame / 900 % 7) as f32).to_le_bytes()].concat();
        bytes.extend_from_slice(&[frame as u8; 9]);
        bytes.truncate(if is_short && frame % 10 == 0 { 4 } else { 21 });
        tape.append(stream, frame * 1_000_000, &bytes).unwrap();
    }
    tape.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    (folder, tape)
}

#[test]
fn parts_of_a_file_have_the_sizes_and_encodings_that_readers_are_fast_with() {
    const FRAMES: u64 = 140_000;
    let (_folder, tape) = own_tape(FRAMES, false);
    let columns = choose(&tape, &["count", "wave", "gear"].map(str::to_owned)).unwrap();
    let mut files = Files::new(Split::Nothing);
    assert_eq!(export(&Export::all(&tape, "own", &columns), &mut files).rows, Some(FRAMES));
    assert_eq!(files.names, [""], "one stream is one file, without a name of its own");
    let metadata = metadata(&files.files[0]);
    let rows: Vec<i64> = metadata.row_groups().iter().map(|group| group.num_rows()).collect();
    assert_eq!(rows, [131_072, FRAMES as i64 - 131_072]);
    for (group, pages) in metadata.row_groups().iter().zip(metadata.offset_index().unwrap()) {
        for column in pages {
            let mut starts: Vec<i64> = column.page_locations.iter().map(|page| page.first_row_index).collect();
            starts.push(group.num_rows());
            assert!(starts.windows(2).all(|pair| pair[1] - pair[0] <= 20_000), "{starts:?}");
        }
        let has = |name: &str, encoding| {
            let column = group.columns().iter().find(|column| column.column_path().string() == name).unwrap();
            assert!(
                column.encodings().any(|one| one == encoding),
                "{name}: {:?}",
                column.encodings().collect::<Vec<_>>()
            );
        };
        has("t_ns", Encoding::DELTA_BINARY_PACKED);
        has("count", Encoding::DELTA_BINARY_PACKED);
        has("wave", Encoding::BYTE_STREAM_SPLIT);
        has("gear", Encoding::RLE_DICTIONARY);
    }
    let mut expected = 0;
    for batch in read(&files.files[0]) {
        let [t_ns, count] = ["t_ns", "count"].map(|name| batch.column_by_name(name).unwrap().clone());
        for (time, count) in t_ns
            .as_primitive::<Int64Type>()
            .values()
            .iter()
            .zip(count.as_primitive::<arrow_array::types::UInt32Type>().values())
        {
            assert_eq!((*time, *count), (expected * 1_000_000, expected as u32));
            expected += 1;
        }
    }
    assert_eq!(expected as u64, FRAMES);
}

#[test]
fn values_that_a_frame_does_not_have_are_null_and_long_arrays_are_lists_on_request() {
    let (_folder, tape) = own_tape(2_000, true);
    assert_eq!(choose_short(&tape).0.len(), 3, "an array of nine is for cars");
    let mut files = Files::new(Split::Nothing);
    let every = choose_every(&tape);
    let what = Export { hz: Some(500.0), times: 100_000_000..1_100_000_000, ..Export::all(&tape, "own", &every) };
    assert_eq!(export(&what, &mut files).rows, Some(500));
    let batch = &read(&files.files[0])[0];
    let t_ns = batch.column_by_name("t_ns").unwrap().as_primitive::<Int64Type>();
    let wave = batch.column_by_name("wave").unwrap().as_primitive::<Float32Type>();
    let cars = batch.column_by_name("cars").unwrap().as_list::<i32>();
    assert!(
        batch.column_by_name("count").unwrap().null_count() == 0
            && batch.column_by_name("utc").unwrap().null_count() == 500
    );
    for (row, time) in t_ns.values().iter().enumerate() {
        assert_eq!(*time, 100_000_000 + row as i64 * 2_000_000, "the first of each period");
        let is_short = time / 1_000_000 % 10 == 0;
        assert_eq!((wave.is_null(row), cars.is_null(row)), (is_short, is_short), "{time}");
        assert_eq!(cars.value(row).len(), if is_short { 0 } else { 9 });
    }
}

#[test]
fn each_lap_is_a_file_of_its_own_and_sessions_have_one_neutral_table() {
    let (_folder, tape) =
        record_simulation(Simulation::driving(Settings::default(), Script::new().at(100_000).end()), 20, "stopped");
    let tracked = track_tape(&tape).unwrap();
    let columns = choose(&tape, &["speedKmh", "normalizedCarPosition"].map(str::to_owned)).unwrap();
    let what = Export { tracked: Some(&tracked), ..Export::all(&tape, "a", &columns) };
    let mut files = Files::new(Split::Laps);
    let rows = export(&what, &mut files).rows.unwrap();
    let laps: Vec<u32> = tracked.laps().map(|lap| lap.tape_lap).collect();
    let expected: Vec<String> = ["physics", "graphics"]
        .iter()
        .flat_map(|stream| laps.iter().map(move |lap| format!("{stream} lap {lap}")))
        .collect();
    assert!(laps.len() > 1);
    assert_eq!(files.names, expected);
    let mut found = 0;
    for (name, file) in files.names.iter().zip(&files.files) {
        for batch in read(file) {
            let lap = batch.column_by_name("lap").unwrap().as_primitive::<Int32Type>();
            assert!(
                lap.null_count() == 0 && lap.values().iter().all(|lap| name.ends_with(&format!("lap {lap}"))),
                "{name}"
            );
            found += batch.num_rows() as u64;
        }
    }
    assert_eq!(found, rows);

    let mut whole = Files::new(Split::Nothing);
    let neutral = Export { neutral: true, ..what.clone() };
    let all = export(&neutral, &mut whole).rows.unwrap();
    let mut sessions = Files::new(Split::Sessions);
    let inside = export(&neutral, &mut sessions).rows.unwrap();
    assert!(inside <= all && inside * 10 > all * 9, "{inside} of {all}");
    assert_eq!(sessions.names, tracked.sessions.iter().map(|one| one.session.id.to_string()).collect::<Vec<_>>());
    let batch = &read(&whole.files[0])[0];
    let speed = batch.column_by_name("speed_kmh").unwrap().as_primitive::<Float32Type>();
    assert!(speed.iter().flatten().any(|speed| speed > 100.0));
    assert_eq!(
        batch.column_by_name("steering").unwrap().null_count() == batch.num_rows(),
        batch.column_by_name("steering_rad").unwrap().null_count() == 0
    );
    let (_own, other) = own_tape(100, false);
    let (every, mut own) = (choose_every(&other), Files::new(Split::Sessions));
    export(&Export { neutral: true, ..Export::all(&other, "own", &every) }, &mut own);
    assert_eq!(read(&own.files[0])[0].schema().fields(), batch.schema().fields(), "one schema for all games");
}

#[test]
fn a_sink_that_fails_or_stops_ends_the_export() {
    let (_folder, tape) = own_tape(3_000, false);
    let every = choose_every(&tape);
    let mut files = Files { room: 1_000, ..Files::new(Split::Nothing) };
    let error = PARQUET.export(&Export::all(&tape, "own", &every), &mut files).unwrap_err();
    assert!(matches!(&error, ExportError::Write(error) if error.kind() == io::ErrorKind::StorageFull), "{error}");

    struct Stopped;
    impl ExportSink for Stopped {
        fn part(&mut self, _: Option<u32>, _: &[u8]) -> io::Result<()> {
            Ok(())
        }
        fn write(&mut self, _: &[u8]) -> io::Result<()> {
            panic!("nothing is complete yet")
        }
        fn goes_on(&self) -> io::Result<()> {
            Err(io::ErrorKind::Interrupted.into())
        }
    }
    let error = PARQUET.export(&Export::all(&tape, "own", &every), &mut Stopped).unwrap_err();
    assert!(matches!(&error, ExportError::Write(error) if error.kind() == io::ErrorKind::Interrupted), "{error}");
}
