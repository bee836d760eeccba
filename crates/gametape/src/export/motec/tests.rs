//! Logs, as readers of others and the importer read them.
#![allow(clippy::disallowed_methods, reason = "files in folders of tests")]

use std::io::{self, Cursor};
use std::path::Path;
use std::sync::Arc;

use gametape_format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape_format::{Channel, ChannelType, StreamSpec, TapeId};
use gametape_simulator::{Script, Settings, Simulation};
use i3rs_core::{LdFile, LdxFile, detect_laps};
use motec_i2::LDReader;

use super::*;
use crate::export::{Columns, choose, choose_usual};
use crate::laps::tests::tapes::record_simulation;
use crate::laps::{LapState, track_tape};
use gametape_analysis::laps::Tracked;
use gametape_format::read::Tape;

/// Keeps the files of an export in memory.
#[derive(Default)]
struct InMemory {
    /// The lap, the file and the one beside it.
    files: Vec<(Option<u32>, Vec<u8>, String)>,
    /// Stops after this many bytes.
    most: Option<usize>,
}

impl ExportSink for InMemory {
    fn part(&mut self, lap: Option<u32>, head: &[u8]) -> io::Result<()> {
        self.files.push((lap, head.to_vec(), String::new()));
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.files.last_mut().unwrap().1.extend_from_slice(bytes);
        Ok(())
    }

    fn beside(&mut self, extension: &str, bytes: &[u8]) -> io::Result<bool> {
        assert_eq!(extension, "ldx");
        self.files.last_mut().unwrap().2 = String::from_utf8(bytes.to_vec()).unwrap();
        Ok(true)
    }

    fn goes_on(&self) -> io::Result<()> {
        let written: usize = self.files.iter().map(|file| file.1.len()).sum();
        if self.most.is_some_and(|most| written > most) { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }
}

fn driven() -> (tempfile::TempDir, Tape) {
    record_simulation(Simulation::driving(Settings::default(), Script::new().at(250_000).end()), 100, "stopped")
}

fn exported(what: &Export<'_>) -> (InMemory, Exported) {
    let mut sink = InMemory::default();
    let exported = MotecExporter.export(what, &mut sink).unwrap();
    (sink, exported)
}

/// A tape of one stream with these channels and frames.
fn own_tape(channels: Vec<Channel>, frames: &[(u64, Vec<u8>)]) -> (tempfile::TempDir, Tape) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.gtape");
    let options = WriteOptions { start_utc_ns: Some(1_700_000_000_000_000_000), ..WriteOptions::new(TapeId([5; 16])) };
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &options, false).unwrap();
    let bytes = frames.first().map_or(1, |(_, frame)| frame.len() as u32);
    let stream = tape.add_stream(StreamSpec::columns("own", bytes, channels), 0).unwrap();
    for (time_ns, frame) in frames {
        tape.append(stream, *time_ns, frame).unwrap();
    }
    tape.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    (folder, tape)
}

/// The values of a channel of the tape: times and values of all frames.
fn frames_of(tape: &Tape, stream: &str, channel: &str) -> Vec<(u64, f64)> {
    let stream = tape.stream_named(stream).unwrap();
    let found = stream.spec().channel(channel).unwrap();
    let at = found.offset as usize;
    let mut frames = tape.frames(stream);
    let mut values = Vec::new();
    while let Some(frame) = frames.next().unwrap() {
        let bytes: [u8; 4] = frame.data[at..at + 4].try_into().unwrap();
        let value = if found.kind == ChannelType::F32 {
            f32::from_le_bytes(bytes).into()
        } else {
            i32::from_le_bytes(bytes).into()
        };
        values.push((frame.time_ns, value));
    }
    values
}

#[test]
fn readers_of_others_find_the_same_samples_and_laps() {
    let (_folder, tape) = driven();
    let tracked = track_tape(&tape).unwrap();
    let columns = choose_usual(&tape);
    let what = Export { tracked: Some(&tracked), ..Export::all(&tape, "a.gtape", &columns) };
    let (sink, exported) = exported(&what);
    let [(None, file, ldx)] = sink.files.as_slice() else { panic!("one file") };
    let read = LdFile::from_bytes(file.clone()).unwrap();
    assert_eq!((read.channels.len(), exported.channels), (exported.channels, exported.channels));
    let session = &tracked.sessions[0].session;
    assert_eq!(Some(&read.session.driver), session.driver.as_ref());
    assert_eq!(Some(&read.session.vehicle_id), session.car.as_ref());
    assert!(read.session.venue.starts_with(session.track.as_ref().unwrap().as_str()), "{:?}", read.session);
    assert_eq!((read.session.date.as_str(), read.session.time.as_str()), ("14/11/2023", "22:13:20"));
    assert_eq!(
        (read.event.event_name.as_str(), read.event.vehicle_id.as_str()),
        ("Assetto Corsa Competizione", read.session.vehicle_id.as_str())
    );

    // Samples at the times of frames are those of the frames.
    let from_ns = frames_of(&tape, "physics", "speedKmh")[0].0;
    for (name, stream, channel, factor) in [
        ("speedKmh", "physics", "speedKmh", 1.0),
        ("Ground Speed", "physics", "speedKmh", 1.0),
        ("Throttle Pos", "physics", "gas", 100.0),
        ("Engine RPM", "physics", "rpms", 1.0),
    ] {
        let of_log = read.channels.iter().find(|one| one.name == name).unwrap_or_else(|| panic!("{name}"));
        let samples = read.read_channel_data(of_log).unwrap();
        let hz = u64::from(of_log.freq);
        assert_eq!(hz, 100, "{name}");
        let (mut compared, mut different) = (0, 0);
        for (time_ns, value) in frames_of(&tape, stream, channel) {
            let since = time_ns - from_ns;
            if (since * hz).is_multiple_of(1_000_000_000) {
                let sample = samples[(since * hz / 1_000_000_000) as usize];
                compared += 1;
                different += usize::from((sample - value * factor).abs() > value.abs() * factor * 1e-6);
            }
        }
        assert!(compared > 20_000 && different == 0, "{name}: {different} of {compared}");
    }
    // The other reader finds the same.
    let mut bytes = Cursor::new(file.as_slice());
    let mut other = LDReader::new(&mut bytes);
    let header = other.read_header().unwrap();
    assert_eq!((header.num_channels as usize, &header.driver), (exported.channels, &read.session.driver));
    let event = other.read_event().unwrap().unwrap();
    assert_eq!(other.read_venue().unwrap().unwrap().name, read.session.venue);
    assert_eq!((other.read_vehicle().unwrap().unwrap().id, event.session), (header.vehicleid, header.session));
    let channels = other.read_channels().unwrap();
    for (one, known) in channels.iter().zip(&read.channels) {
        assert_eq!((&one.name, one.sample_rate), (&known.name, known.freq));
        // i3rs-core shows the short name of a channel that has no unit.
        assert!(one.unit == known.unit || one.unit.is_empty(), "{one:?} {known:?}");
        let values: Vec<f64> = other.channel_data(one).unwrap().iter().map(|sample| sample.decode_f64(one)).collect();
        let expected = read.read_channel_data(known).unwrap();
        let is_same =
            |(one, other): (&f64, &f64)| (one.is_nan() && other.is_nan()) || (one - other).abs() <= other.abs() * 1e-6;
        assert!(values.len() == expected.len() && values.iter().zip(&expected).all(is_same), "{}", known.name);
    }

    // Laps: by the running time in the log, and in the file beside it.
    let timed: Vec<u32> = tracked
        .laps()
        .filter(|lap| lap.state == LapState::Final && lap.complete)
        .filter_map(|lap| lap.time_ms)
        .collect();
    assert!(timed.len() >= 2, "the control: there are laps");
    let laps = detect_laps(&read);
    let found: Vec<u32> = laps.iter().map(|lap| (lap.duration() * 1000.0).round() as u32).collect();
    assert!(timed.iter().all(|time| found.contains(time)), "{timed:?} {found:?}");
    let beside = LdxFile::parse(ldx).unwrap();
    assert_eq!(beside.total_laps, Some(laps.len() as u32));
    let fastest = &laps[beside.fastest_lap.unwrap() as usize];
    assert_eq!((fastest.duration() * 1000.0).round() as u32, *timed.iter().min().unwrap());
    assert_eq!(beside.fastest_time.unwrap(), motec_time(*timed.iter().min().unwrap()));
}

fn motec_time(ms: u32) -> String {
    format!("{}:{:02}.{:03}", ms / 60_000, ms / 1000 % 60, ms % 1000)
}

#[cfg(feature = "import")]
#[test]
fn the_importer_reads_it_back_with_the_same_laps() {
    let (folder, tape) = driven();
    let tracked = track_tape(&tape).unwrap();
    let columns = choose_usual(&tape);
    let what = Export { tracked: Some(&tracked), ..Export::all(&tape, "a.gtape", &columns) };
    let (sink, _) = exported(&what);
    let (ld, back) = (folder.path().join("a.ld"), folder.path().join("back.gtape"));
    std::fs::write(&ld, &sink.files[0].1).unwrap();
    std::fs::write(ld.with_extension("ldx"), &sink.files[0].2).unwrap();
    let imported = crate::import::import_through(Arc::new(StdFiles), &ld, &back, &mut |_| {}).unwrap();
    assert_eq!(imported.problems, [] as [String; 0]);
    let times = |tracked: &Tracked| -> Vec<u32> {
        let laps = tracked.laps().filter(|lap| lap.state == LapState::Final && lap.complete);
        laps.filter_map(|lap| lap.time_ms).collect()
    };
    let again = track_tape(&Tape::open(&back).unwrap()).unwrap();
    assert!(times(&tracked).len() >= 2);
    assert_eq!(times(&again), times(&tracked));
    let (one, other) = (&again.sessions[0].session, &tracked.sessions[0].session);
    assert_eq!((&one.driver, &one.car), (&other.driver, &other.car));
}

#[test]
fn a_lap_has_a_log_with_the_line_at_both_ends() {
    let (_folder, tape) = driven();
    let tracked = track_tape(&tape).unwrap();
    let columns = choose(&tape, &["gear".to_owned()]).unwrap();
    let what = Export { tracked: Some(&tracked), laps: LapFiles::Each, ..Export::all(&tape, "a.gtape", &columns) };
    let (sink, _) = exported(&what);
    let numbers: Vec<Option<u32>> = sink.files.iter().map(|file| file.0).collect();
    assert_eq!(numbers, tracked.laps().map(|lap| Some(lap.tape_lap)).collect::<Vec<_>>());
    let lap = tracked
        .laps()
        .find(|lap| lap.state == LapState::Final && lap.complete && lap.start_ns > AROUND_LAP_NS)
        .unwrap();
    let (_, file, ldx) = sink.files.iter().find(|file| file.0 == Some(lap.tape_lap)).unwrap();
    let read = LdFile::from_bytes(file.clone()).unwrap();
    let seconds = f64::from(lap.time_ms.unwrap()) / 1000.0;
    assert!((read.duration_secs() - seconds - 2.0).abs() < 0.1, "{} {seconds}", read.duration_secs());
    assert_eq!(ldx.matches("<Marker ").count(), 2);
    assert!(ldx.contains(&format!(r#""Fastest Time" Value="{}""#, motec_time(lap.time_ms.unwrap()))), "{ldx}");
    // A stream that says nothing during the second before the lap has its value from before.
    let gear = read.channels.iter().find(|one| one.name == "gear 2").unwrap();
    assert!(read.read_channel_data(gear).unwrap().iter().all(|value| value.is_finite()));
}

#[test]
fn a_part_of_a_tape_at_a_lower_rate() {
    let (_folder, tape) = driven();
    let columns = choose(&tape, &["speedKmh".to_owned()]).unwrap();
    let all = Export::all(&tape, "a.gtape", &columns);
    let what = Export { times: 20_000_000_000..30_000_000_001, hz: Some(12.5), ..all.clone() };
    let read = LdFile::from_bytes(exported(&what).0.files[0].1.clone()).unwrap();
    assert!(read.channels.iter().all(|channel| channel.freq <= 12), "{:?}", read.channels);
    let speed = read.channels.iter().find(|one| one.name == "speedKmh").unwrap();
    let samples = read.read_channel_data(speed).unwrap();
    let known = frames_of(&tape, "physics", "speedKmh").into_iter().find(|(at, _)| *at == 25_000_000_000).unwrap().1;
    assert!(samples.len() == 121 && (samples[60] - known).abs() < known * 1e-6, "{} {known}", samples[60]);
    assert_eq!(read.session.time, "22:13:40");
    let nothing = Export { times: u64::MAX - 5..u64::MAX, ..all };
    assert!(matches!(MotecExporter.export(&nothing, &mut InMemory::default()), Err(ExportError::Nothing(_))));
}

#[test]
fn the_bytes_of_a_small_log_do_not_change() {
    let (_folder, tape) = small();
    let columns = choose(&tape, &[]).unwrap();
    let (sink, _) = exported(&Export::all(&tape, "small.gtape", &columns));
    let (_, file, ldx) = &sink.files[0];
    for (name, bytes) in [("small.ld", file.as_slice()), ("small.ldx", ldx.as_bytes())] {
        let golden = Path::new("src/export/motec/golden").join(name);
        let found = std::env::temp_dir().join(name);
        if std::fs::read(&golden).unwrap() != bytes {
            std::fs::write(&found, bytes).unwrap();
            panic!("{} differs from {}: what was written is there", found.display(), golden.display());
        }
    }
}

/// A second of a tape with two channels, and one that has no samples.
fn small() -> (tempfile::TempDir, Tape) {
    let channels = vec![
        Channel::new("wave", ChannelType::F32, 0, 1, "m/s"),
        Channel::new("count", ChannelType::U16, 4, 2, ""),
        Channel::new("text", ChannelType::Char, 8, 4, ""),
    ];
    let frame = |number: u16| {
        let wave = (f32::from(number) / 8.0).to_le_bytes();
        [&wave[..], &number.to_le_bytes(), &(1000 - number).to_le_bytes(), b"abc\0"].concat()
    };
    let frames: Vec<_> = (0..11).map(|number| (u64::from(number) * 100_000_000, frame(number))).collect();
    own_tape(channels, &frames)
}

#[test]
fn hostile_texts_and_sizes_give_a_sound_file_or_an_error() {
    let names =
        ["a\"b<c>&", "A\"b<c>&", "\u{1F3CE}\u{FE0F}", "n\u{e9}\u{0}x\n\r\t", "=1+1", &"long ".repeat(50), "Gear"];
    let channels = names.iter().enumerate();
    let channels = channels.map(|(at, name)| Channel::new(*name, ChannelType::F32, at as u32 * 4, 1, *name)).collect();
    let values = [f32::NAN, f32::INFINITY, f32::MAX, -0.0, 1e-40, 7.0, -1.0];
    let frame: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let (_folder, tape) = own_tape(channels, &[(5, frame.clone()), (2_000_000_005, frame)]);
    let mut tracked = track_tape(&driven().1).unwrap();
    for session in &mut tracked.sessions {
        for text in [&mut session.session.driver, &mut session.session.car, &mut session.session.track] {
            *text = Some("</Marker>\"\u{0}\u{202E}\u{1F600}".repeat(99));
        }
    }
    let columns = choose(&tape, &[]).unwrap();
    let file = "x".repeat(999);
    let what = Export { tracked: Some(&tracked), ..Export::all(&tape, &file, &columns) };
    let (sink, _) = exported(&what);
    let read = LdFile::from_bytes(sink.files[0].1.clone()).unwrap();
    let mut found: Vec<&str> = read.channels.iter().map(|channel| channel.name.as_str()).collect();
    assert_eq!(read.channels.len(), names.len() + 2, "with number and time of laps");
    assert!(
        read.channels.iter().all(|channel| read.read_channel_data(channel).unwrap().len() as u32 == channel.n_data)
    );
    assert!(found.contains(&"A\"b<c>& 2") && found.iter().all(|name| !name.is_empty()), "{found:?}");
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), read.channels.len());
    assert!(!sink.files[0].2.contains("</Marker>") && LdxFile::parse(&sink.files[0].2).is_ok());
}

#[test]
fn what_the_format_cannot_hold_is_an_error_and_a_stop_is_heeded() {
    let array = || vec![Channel::new("a", ChannelType::U8, 0, 1, "")];
    let (_folder, tape) = own_tape(array(), &[(0, vec![1]), (1_000_000, vec![2]), (u64::MAX / 4, vec![3])]);
    let columns = choose(&tape, &[]).unwrap();
    let error = MotecExporter.export(&Export::all(&tape, "", &columns), &mut InMemory::default()).unwrap_err();
    assert!(error.to_string().contains("--hz"), "{error}");
    let (_folder, tape) = own_tape(array(), &[(0, vec![1]), (1_000_000, vec![2]), (600_000_000_000, vec![3])]);
    let mut stopped = InMemory { most: Some(0), ..InMemory::default() };
    let error = MotecExporter.export(&Export::all(&tape, "", &columns), &mut stopped).unwrap_err();
    assert!(matches!(error, ExportError::Write(_)), "{error}");
    let texts = vec![Channel::new("text", ChannelType::Char, 0, 1, "")];
    let (_folder, tape) = own_tape(texts, &[(0, vec![65])]);
    let none = MotecExporter.export(&Export::all(&tape, "", &Columns(Vec::new())), &mut InMemory::default());
    assert!(matches!(none, Err(ExportError::Nothing(_))));
}
