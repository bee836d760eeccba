//! Lap files of other loggers: what is in them comes out, to the value and to the byte.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape::format::read::Tape;
use gametape::import::{ImportOptions, Imported, Kind, compare_with_source, import_through, import_with};
use gametape::laps::compare::compare;
use gametape::laps::{Grid, Lap, LapState, Tracked, columns::columns, track_tape};

use crate::parsers::import_parsers::lap_files::{
    f1_datagrams, f1pcap, garage61, gpx, ldx, logged, motec, motec_stint, racechrono, vbo,
};
use crate::support::real_data;
use crate::unsynced::Unsynced;

/// A tape made of a file.
struct Made {
    folder: tempfile::TempDir,
    source: PathBuf,
    imported: Imported,
    tape: Tape,
}

fn made_of(name: &str, bytes: &[u8]) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join(name);
    std::fs::write(&source, bytes).unwrap();
    imported_from(folder, source)
}

fn imported_from(folder: tempfile::TempDir, source: PathBuf) -> Made {
    let out = folder.path().join("out.gtape");
    let imported = import_through(Arc::new(Unsynced), &source, &out, &mut |_| {}).unwrap();
    let tape = Tape::open(&out).unwrap();
    let compared = compare_with_source(&tape, &source, &mut |_| {}).unwrap();
    assert!(compared.is_equal(), "{:?}", compared.differences);
    Made { folder, source, imported, tape }
}

impl Made {
    fn tracked(&self) -> Tracked {
        track_tape(&self.tape).unwrap()
    }

    /// Returns the laps that ended at a line.
    fn laps(&self) -> Vec<Lap> {
        self.tracked().laps().filter(|lap| lap.state == LapState::Final).cloned().collect()
    }

    fn times_ms(&self) -> Vec<u32> {
        self.laps().iter().map(|lap| lap.time_ms.unwrap()).collect()
    }

    /// Returns all values of a channel.
    fn values(&self, stream: &str, channel: &str) -> Vec<f64> {
        let stream = self.tape.stream_named(stream).unwrap();
        let spec = stream.spec();
        let found = spec.channels.iter().find(|known| known.name == channel).unwrap_or_else(|| panic!("no {channel}"));
        let (at, width) = (found.offset as usize, found.kind.width());
        let mut frames = self.tape.frames(stream);
        let mut values = Vec::new();
        while let Some(frame) = frames.next().unwrap() {
            let bytes = &frame.data[at..at + width];
            values.push(match found.kind {
                gametape::format::ChannelType::F64 => f64::from_le_bytes(bytes.try_into().unwrap()),
                gametape::format::ChannelType::F32 => f32::from_le_bytes(bytes.try_into().unwrap()).into(),
                gametape::format::ChannelType::I16 => i16::from_le_bytes(bytes.try_into().unwrap()).into(),
                gametape::format::ChannelType::I32 => i32::from_le_bytes(bytes.try_into().unwrap()).into(),
                other => panic!("{other:?}"),
            });
        }
        values
    }

    /// Returns all bytes of a stream, back to back.
    fn bytes(&self, stream: &str) -> Vec<u8> {
        let stream = self.tape.stream_named(stream).unwrap();
        let mut frames = self.tape.frames(stream);
        let mut bytes = Vec::new();
        while let Some(frame) = frames.next().unwrap() {
            bytes.extend_from_slice(frame.data);
        }
        bytes
    }
}

/// A channel as an independent reader finds it in a `.ld` file: where its samples are, and their values.
struct Independent {
    name: String,
    hz: u16,
    samples: std::ops::Range<usize>,
    values: Vec<f64>,
    /// Family, size, shift, multiplier, scale, decimal places.
    how: (u16, u16, f64, f64, f64, i32),
}

/// Reads a `.ld` file from the description of the format alone.
fn read_independently(file: &[u8]) -> Vec<Independent> {
    let u32_at = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let i16_at = |at: usize| i16::from_le_bytes(file[at..at + 2].try_into().unwrap());
    let mut channels = Vec::new();
    let mut at = u32_at(8);
    while at != 0 {
        let (data, count) = (u32_at(at + 8), u32_at(at + 12));
        let [family, size, hz] = [18, 20, 22].map(|field| i16_at(at + field).cast_unsigned());
        let [shift, multiplier, scale, decimals] = [24, 26, 28, 30].map(|field| f64::from(i16_at(at + field)));
        let name = &file[at + 32..at + 64];
        let name = String::from_utf8_lossy(name.split(|byte| *byte == 0).next().unwrap()).into_owned();
        let raw = |number: usize| -> f64 {
            let sample = &file[data + number * usize::from(size)..];
            match (family, size) {
                (7, 4) => f32::from_le_bytes(sample[..4].try_into().unwrap()).into(),
                (0 | 3 | 5, 2) => i16::from_le_bytes(sample[..2].try_into().unwrap()).into(),
                (0 | 3 | 5, 4) => i32::from_le_bytes(sample[..4].try_into().unwrap()).into(),
                other => panic!("{other:?}"),
            }
        };
        let value = |number| (raw(number) / scale * 10f64.powf(-decimals) + shift) * multiplier;
        channels.push(Independent {
            name: name.trim().to_owned(),
            hz,
            samples: data..data + count * usize::from(size),
            values: (0..count).map(value).collect(),
            how: (family, size, shift, multiplier, scale, decimals as i32),
        });
        at = u32_at(at + 4);
    }
    channels
}

/// Finds the stream that has a channel.
fn stream_of(tape: &Tape, channel: &str) -> String {
    let has = |spec: &gametape::format::StreamSpec| {
        spec.name.contains("hz") && spec.channels.iter().any(|c| c.name == channel)
    };
    tape.streams().map(|stream| stream.spec()).find(|spec| has(spec)).unwrap().name.clone()
}

/// Checks that the tape has the values of every channel, and that the file can be put together from it byte for byte.
fn check_motec(made: &Made, file: &[u8]) {
    let channels = read_independently(file);
    assert!(!channels.is_empty());
    let mut rebuilt = vec![None; file.len()];
    for channel in &channels {
        let stream = stream_of(&made.tape, &channel.name);
        assert!(stream == format!("{}hz", channel.hz) || stream.starts_with(&format!("{}hz-", channel.hz)), "{stream}");
        let values = made.values(&stream, &channel.name);
        assert_eq!(values.len(), channel.values.len(), "{}", channel.name);
        let (family, size, shift, multiplier, scale, decimals) = channel.how;
        for (number, (found, expected)) in values.iter().zip(&channel.values).enumerate() {
            assert!(
                (found - expected).abs() <= 1e-9 * expected.abs().max(1.0),
                "{} {number}: {found} {expected}",
                channel.name
            );
            let raw = ((found / multiplier - shift) * 10f64.powi(decimals) * scale).round();
            let bytes = match (family, size) {
                (7, 4) => (*found as f32).to_le_bytes().to_vec(),
                (_, 2) => (raw as i16).to_le_bytes().to_vec(),
                (_, _) => (raw as i32).to_le_bytes().to_vec(),
            };
            let at = channel.samples.start + number * usize::from(size);
            rebuilt[at..at + usize::from(size)].iter_mut().zip(bytes).for_each(|(room, byte)| *room = Some(byte));
        }
    }
    let mut rest = made.bytes("motec.rest").into_iter();
    rebuilt.iter_mut().filter(|byte| byte.is_none()).for_each(|byte| *byte = rest.next());
    assert_eq!(rest.next(), None, "nothing is stored twice");
    assert!(rebuilt.into_iter().map(Option::unwrap).eq(file.iter().copied()), "the file from its tape");
}

#[test]
fn a_real_motec_log_has_the_laps_of_its_beacons_and_the_values_of_an_independent_reader() {
    let test = "a_real_motec_log_has_the_laps_of_its_beacons_and_the_values_of_an_independent_reader";
    let Some(directory) = real_data(test) else { return };
    let file = std::fs::read(directory.join("motec/sample1.ld")).unwrap();
    let made = made_of("sample1.ld", &file);
    assert_eq!((made.imported.kind, &made.imported.problems[..]), (Kind::Motec, &[] as &[String]));
    assert_eq!(made.times_ms(), [65_163, 63_682, 65_192, 63_759]);
    assert!(made.laps().iter().all(|lap| lap.complete && lap.eligible), "{:#?}", made.laps());
    check_motec(&made, &file);
    // The distance between lines is that of the circuit, 2.28 km.
    let tracked = made.tracked();
    let length_m = tracked.tracks[0].length_m.unwrap();
    assert!((2_200.0..2_350.0).contains(&length_m), "{length_m}");
    assert!(tracked.sessions.iter().all(|known| known.session.foreign));
}

#[test]
fn real_logs_of_competizione_come_without_laps_and_get_them_from_the_markers() {
    let test = "real_logs_of_competizione_come_without_laps_and_get_them_from_the_markers";
    let Some(directory) = real_data(test) else { return };
    let imola = directory.join("acc-motec/Imola-porsche_991ii_gt3_r-2-2021.12.02-21.13.58.ld");
    let file = std::fs::read(imola).unwrap();
    let alone = made_of("imola.ld", &file);
    assert_eq!((alone.times_ms(), &alone.imported.problems[..]), (vec![], &[] as &[String]));
    check_motec(&alone, &file);
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("imola.ld");
    std::fs::write(&source, &file).unwrap();
    std::fs::write(source.with_extension("ldx"), ldx(&[12.5, 119.75, 231.0])).unwrap();
    let marked = imported_from(folder, source);
    assert_eq!(marked.times_ms(), [107_250, 111_250]);
    assert_ne!(marked.imported.tape_id, alone.imported.tape_id, "the markers belong to the log");
    // A sharp right and left: the neutral values have the units and signs of every game.
    let lap = &marked.laps()[0];
    let names = ["speed_kmh", "lateral_g", "throttle", "gear"].map(str::to_owned);
    let found = columns(&marked.tape, lap, &names, Grid::Metres { step_m: 5.0, length_m: 4_909.0 }).unwrap();
    let most = |name: &str| found.column(name).unwrap().values.iter().flatten().copied().fold(f64::MIN, f64::max);
    assert!((230.0..280.0).contains(&most("speed_kmh")) && (1.0..3.0).contains(&most("lateral_g")));
    assert!((0.99..=1.0).contains(&most("throttle")) && (5.0..=6.0).contains(&most("gear")));
    assert!(found.time_ms.iter().flatten().count() > 950, "positions all along the lap");
}

#[test]
fn a_real_session_of_racechrono_has_its_lap() {
    let Some(directory) = real_data("a_real_session_of_racechrono_has_its_lap") else { return };
    let file = std::fs::read(directory.join("racechrono/lap9_v3.csv")).unwrap();
    let made = made_of("lap9_v3.csv", &file);
    assert_eq!((made.imported.kind, made.imported.frames), (Kind::RaceChrono, 3850));
    assert_eq!(made.times_ms(), [76_329]);
    assert_eq!(made.bytes("racechrono.text"), file);
    assert_eq!(made.tape.stream_named("racechrono").unwrap().spec().channels.len(), 26);
    let speed = made.values("racechrono", "speed (100: gps)");
    assert_eq!((speed[0], speed.len()), (33.453, 3850));
    let lap = &made.laps()[0];
    assert_eq!((lap.number, lap.complete), (Some(1), true));
    assert!(lap.top_speed_kmh.unwrap() > 150.0);
    let length_m = made.tracked().tracks[0].length_m.unwrap();
    assert!((length_m - 2_006.3).abs() < 0.5, "{length_m}");
}

#[test]
fn a_real_vbo_has_its_positions() {
    let Some(directory) = real_data("a_real_vbo_has_its_positions") else { return };
    let file = std::fs::read(directory.join("vbo/packed_ddmm_3rows.vbo")).unwrap();
    let made = made_of("a.vbo", &file);
    assert_eq!((made.imported.kind, made.imported.frames, made.times_ms()), (Kind::Vbo, 3, vec![]));
    assert_eq!(made.bytes("vbo.text"), file);
    assert!((made.values("vbo", "lat")[0] - (31.0 + 19.099_73 / 60.0)).abs() < 1e-9);
    assert!((made.values("vbo", "long")[0] + (58.492_77 / 60.0)).abs() < 1e-9, "west is negative");
    let times: Vec<u64> = {
        let mut frames = made.tape.frames(made.tape.stream_named("vbo").unwrap());
        std::iter::from_fn(|| frames.next().unwrap().map(|frame| frame.time_ns / 1_000_000)).collect()
    };
    assert_eq!(times, [0, 500, 1_000]);
    assert_eq!(made.tape.start_utc_ns(), Some(1_154_362_955_400_000_000), "16:22:35.4 on the day of the file");
}

#[test]
fn logs_have_laps_by_beacons_by_markers_and_by_lap_numbers() {
    let beacons = made_of("stint.ld", &motec_stint(200, 60));
    assert_eq!(beacons.times_ms(), [60_000, 60_000, 60_000]);
    let lap = &beacons.laps()[1];
    assert_eq!((lap.complete, lap.eligible, lap.driver.as_deref()), (true, true, Some("Driver 1")));
    assert_eq!(beacons.tracked().tracks[0].length_m, Some(3_000.0));
    assert_eq!(lap.start_ns, 64_250_000_000, "the offset of the beacon");
    // Markers replace beacons: a user may have corrected them.
    let with_markers = |seconds: &[f64]| {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("stint.ld");
        std::fs::write(&source, motec_stint(200, 60)).unwrap();
        std::fs::write(source.with_extension("ldx"), ldx(seconds)).unwrap();
        imported_from(folder, source)
    };
    assert_eq!(with_markers(&[10.0, 75.125, 150.5]).times_ms(), [65_125, 75_375]);
    let other = with_markers(&[10.0, 75.125, 500.0]);
    assert_eq!(other.times_ms(), [60_000; 3], "markers of another log are ignored");
    assert!(other.imported.problems[0].contains("another log"), "{:?}", other.imported.problems);
    // Lap numbers say in which sample a lap began, and not when: such times are measured.
    let numbers: Vec<i16> = (0..200).map(|second| i16::from(second >= 20) + i16::from(second >= 90)).collect();
    let speed = vec![1800; 2000];
    let made = made_of(
        "n.ld",
        &motec(&[logged("Ground Speed", "km/h", 10, 1, &speed), logged("Lap Number", "", 1, 0, &numbers)]),
    );
    assert_eq!(made.times_ms(), [70_000]);
    assert!(!made.laps()[0].eligible);
}

#[test]
fn channels_of_all_types_are_kept_to_the_byte() {
    let mut channels = vec![
        logged("a", "V", 20, 2, &[-5, 7, i16::MIN, i16::MAX]),
        logged("longer", "V", 20, 0, &[1, 2, 3, 4, 5]),
        logged("odd scale", "", 20, 0, &[1, 2, 3, 4]),
        logged("a", "V", 20, 0, &[1, 2, 3, 4]),
    ];
    channels[2].scaling = [500, -3, 7, 2];
    channels.push(crate::parsers::import_parsers::lap_files::Logged {
        family: 3,
        size: 4,
        ..logged("i32", "", 5, 1, &[1, 2, 3, 4])
    });
    let file = motec(&channels);
    let made = made_of("types.ld", &file);
    assert_eq!(made.imported.problems, [] as [String; 0]);
    assert_eq!(made.values("20hz-2", "longer"), [1.0, 2.0, 3.0, 4.0, 5.0], "streams by rate and length");
    assert_eq!(made.values("20hz", "a 2"), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(made.values("20hz", "a")[2], -327.68);
    let mut renamed = read_independently(&file);
    renamed[3].name = "a 2".into();
    for channel in renamed {
        let found = made.values(&stream_of(&made.tape, &channel.name), &channel.name);
        assert!(found.iter().zip(&channel.values).all(|(a, b)| (a - b).abs() < 1e-9), "{}", channel.name);
    }
    // Types that are unknown, and samples that overlap, stay bytes.
    let mut strange = vec![logged("ok", "", 1, 0, &[1, 2]), logged("size 3", "", 1, 0, &[1, 2, 3])];
    strange[1].size = 3;
    let made = made_of("strange.ld", &motec(&strange));
    assert!(
        made.imported.problems.iter().any(|problem| problem.contains("\"size 3\"")),
        "{:?}",
        made.imported.problems
    );
    assert_eq!(made.bytes("motec.rest").len(), motec(&strange).len() - 4);
}

#[test]
fn racechrono_vbo_garage61_and_gpx_give_channels_and_laps() {
    let made = made_of("a.csv", racechrono(200).as_bytes());
    assert_eq!(made.times_ms(), [60_000, 60_000, 60_000]);
    assert_eq!(made.tracked().tracks[0].length_m, Some(3_000.0));
    assert_eq!(made.bytes("racechrono.text"), racechrono(200).as_bytes());

    for is_packed in [true, false] {
        let text = vbo(200, is_packed);
        let made = made_of("b.vbo", text.as_bytes());
        let times = made.times_ms();
        assert_eq!(times.len(), 3, "{times:?}");
        assert!(times.iter().all(|ms| ms.abs_diff(60_000) <= 2), "packed {is_packed}: {times:?}");
        assert_eq!(made.bytes("vbo.text"), text.as_bytes());
    }

    let made = made_of("Garage 61 - Driver 1 - Car A - Track B - 01.00.008 - ABC.csv", garage61(3600).as_bytes());
    assert_eq!(made.times_ms(), [60_008], "the time of the name, which agrees with the rows");
    let lap = &made.laps()[0];
    assert_eq!((lap.complete, lap.eligible, lap.driver.as_deref()), (true, true, Some("Driver 1")));
    assert!(lap.coverage.unwrap() > 0.99);
    assert_eq!(made.tracked().laps().count(), 1, "nothing begins at the end of the file");
    let made = made_of("Garage_61_ABC.csv", garage61(3600).as_bytes());
    assert_eq!((made.times_ms(), made.laps()[0].eligible), (vec![60_000], false), "the rows alone are a measurement");
    let made = made_of("Garage 61 - Driver 1 - Car A - Track B - 01.05.000 - ABC.csv", garage61(3600).as_bytes());
    assert_eq!(made.times_ms(), [60_000], "the time of the name is of another lap");

    let made = made_of("d.gpx", gpx(100).as_bytes());
    assert_eq!((made.imported.frames, made.times_ms()), (100, vec![]));
    assert_eq!(made.values("gpx", "altitude")[0], 200.5);
    assert_eq!(made.bytes("gpx.text"), gpx(100).as_bytes());
}

#[test]
fn f1_captures_are_the_streams_that_the_game_has() {
    let datagrams = f1_datagrams(50);
    let mut ids = Vec::new();
    for is_packed in [true, false] {
        let made = made_of("a.f1pcap", &f1pcap(&datagrams, is_packed));
        assert_eq!((made.imported.frames, &made.imported.problems[..]), (50, &[] as &[String]));
        let stream = made.tape.stream_named("lap-data").unwrap();
        assert_eq!(stream.spec().game, "f1-24");
        assert_eq!(made.bytes("lap-data"), datagrams.concat());
        let mut frames = made.tape.frames(stream);
        let times: Vec<u64> = std::iter::from_fn(|| frames.next().unwrap().map(|frame| frame.time_ns)).collect();
        assert!(times.windows(2).all(|two| (two[1] - two[0]).abs_diff(50_000_000) < 10_000), "session time: {times:?}");
        let records = made.bytes("f1pcap.records");
        let file = f1pcap(&datagrams, is_packed);
        match is_packed {
            true => assert_eq!(records, file[12..], "the packets as they are in the file"),
            false => assert_eq!(records.len(), 50 * 8),
        }
        ids.push(made.imported.tape_id);
        assert_eq!(made.bytes("f1pcap.header"), file[..12]);
    }
    assert_ne!(ids[0], ids[1]);
    // A capture that was cut keeps what is whole, and the rest as bytes.
    let file = f1pcap(&datagrams, false);
    let made = made_of("cut.f1pcap", &file[..file.len() - 100]);
    assert_eq!((made.imported.frames, made.imported.problems.len()), (49, 1));
    assert!(made.bytes("f1pcap.unread").len() > 100);
}

#[test]
fn laps_of_a_file_are_compared_with_laps_of_a_game_by_position() {
    let (one, other) = (made_of("stint.ld", &motec_stint(200, 60)), made_of("a.csv", racechrono(200).as_bytes()));
    let grid = Grid::Metres { step_m: 5.0, length_m: 3_000.0 };
    let names = ["speed_kmh".to_owned()];
    let read = |made: &Made| columns(&made.tape, &made.laps()[1], &names, grid).unwrap();
    let compared = compare(&[read(&one), read(&other)], 3_000.0, 5.0).unwrap();
    let deltas = compared.delta_ms.last().unwrap();
    assert!(deltas.iter().all(|delta| delta.is_some_and(|ms| ms.abs() < 5.0)), "the same lap: {deltas:?}");
}

#[test]
fn tapes_of_lap_files_are_foreign_unless_the_file_is_the_users_own() {
    let made = made_of("stint.ld", &motec_stint(200, 60));
    assert_eq!(made.tape.metadata().get("foreign").map(String::as_str), Some("true"));
    assert!(made.tracked().sessions[0].session.foreign);
    let own = made.folder.path().join("own.gtape");
    let options = ImportOptions { is_own: true, ..ImportOptions::default() };
    import_with(Arc::new(Unsynced), &made.source, &own, &options, &mut |_| {}).unwrap();
    let own = Tape::open(&own).unwrap();
    assert_eq!((own.metadata().get("foreign"), own.id()), (None, made.tape.id()));
    assert!(!track_tape(&own).unwrap().sessions[0].session.foreign);
    let game = concat!(env!("CARGO_MANIFEST_DIR"), "/../games/src/iracing/testcases/lap-and-pits/frames.gtape");
    assert!(track_tape(&Tape::open(game).unwrap()).unwrap().sessions.iter().all(|known| !known.session.foreign));
}

/// Imports bytes of which nothing is known. Returns whether that made a tape.
fn import_any(folder: &Path, bytes: &[u8]) -> bool {
    let (source, out) = (folder.join("any"), folder.join("any.gtape"));
    std::fs::write(&source, bytes).unwrap();
    let _ = std::fs::remove_file(&out);
    import_through(Arc::new(Unsynced), &source, &out, &mut |_| {}).is_ok_and(|_| {
        let tape = Tape::open(&out).unwrap();
        assert!(compare_with_source(&tape, &source, &mut |_| {}).unwrap().is_equal());
        true
    })
}

#[test]
fn files_that_are_cut_anywhere_give_what_is_whole_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let files: BTreeMap<&str, Vec<u8>> = BTreeMap::from([
        ("motec", motec_stint(20, 15)),
        ("racechrono", racechrono(20).into_bytes()),
        ("vbo", vbo(20, true).into_bytes()),
        ("garage61", garage61(700).into_bytes()),
        ("gpx", gpx(30).into_bytes()),
        ("f1pcap", f1pcap(&f1_datagrams(5), true)),
    ]);
    for (name, file) in files {
        assert!(import_any(folder.path(), &file), "{name}");
        let step = (file.len() / 60).max(1);
        let whole = (0..file.len()).step_by(step).filter(|cut| import_any(folder.path(), &file[..*cut])).count();
        assert!(whole > 20, "{name}: {whole} of 60 cut files have something in them");
    }
}
