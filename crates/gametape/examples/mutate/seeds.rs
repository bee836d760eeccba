//! Small valid inputs for the parsers, made by the writers themselves. Takes nothing, gives bytes.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a program for developers; its inputs are its own")]

#[path = "replay_seeds.rs"]
mod replay_seeds;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use gametape_format::column::{BlockEncoder, encode_integers};
use gametape_format::write::{Files, JournalFile, TapeFile, WriteOptions, Writer};
use gametape_format::{Channel, ChannelType, Counters, StreamId, StreamSpec, TapeId, pack};

/// Files in memory.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<BTreeMap<PathBuf, Vec<u8>>>>);

struct Open {
    files: Memory,
    path: PathBuf,
}

impl Open {
    fn with<T>(&self, act: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        act(self.files.0.lock().unwrap().entry(self.path.clone()).or_default())
    }
}

impl Files for Memory {
    fn create_tape(&self, path: &Path) -> io::Result<Box<dyn TapeFile>> {
        Ok(Box::new(Open { files: self.clone(), path: path.into() }))
    }

    fn create_journal(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn JournalFile>> {
        self.0.lock().unwrap().insert(path.into(), vec![0; bytes as usize]);
        Ok(Box::new(Open { files: self.clone(), path: path.into() }))
    }

    fn journals(&self, _tape: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.lock().unwrap().remove(path);
        Ok(())
    }

    fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.replace(from, to)
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut files = self.0.lock().unwrap();
        let bytes = files.remove(from).unwrap_or_default();
        files.insert(to.into(), bytes);
        Ok(())
    }

    fn lock(&self, _path: &Path) -> io::Result<Box<dyn Send>> {
        Ok(Box::new(()))
    }

    fn keep(&self, _path: &Path, _second: &Path) -> io::Result<bool> {
        Ok(true)
    }

    fn sync_directory(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }
}

impl TapeFile for Open {
    fn append(&mut self, data: &[u8]) -> io::Result<()> {
        self.with(|bytes| bytes.extend_from_slice(data));
        Ok(())
    }

    fn truncate(&mut self, length: u64) -> io::Result<()> {
        self.with(|bytes| bytes.truncate(length as usize));
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl JournalFile for Open {
    fn write(&self, at: u64, data: &[u8]) -> io::Result<()> {
        self.with(|bytes| bytes[at as usize..at as usize + data.len()].copy_from_slice(data));
        Ok(())
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.with(|bytes| buffer.copy_from_slice(&bytes[at as usize..at as usize + buffer.len()]));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

fn car() -> StreamSpec {
    let channels = vec![
        Channel::new("tick", ChannelType::U16, 0, 1, ""),
        Channel::new("speed", ChannelType::F32, 4, 2, "km/h"),
        Channel::new("time", ChannelType::F64, 12, 1, "s"),
    ];
    StreamSpec { game: "test-game".into(), ..StreamSpec::columns("car", 20, channels) }
}

fn row(i: u64) -> Vec<u8> {
    let mut row = (i as u32).to_le_bytes().to_vec();
    row.extend((i as f32 * 0.25).to_le_bytes());
    row.extend((i as f32 * 0.75).to_le_bytes());
    row.extend((i as f64 / 60.0).to_le_bytes());
    row
}

/// A tape with all kinds of streams; the files it consists of by name, the tape first.
fn record(frames: u64, change_every: u64, close: bool) -> Vec<Vec<u8>> {
    let files = Memory::default();
    let options = WriteOptions { journal_bytes: 4096, ..WriteOptions::new(TapeId([7; 16])) };
    let mut writer = Writer::create(Arc::new(files.clone()), Path::new("seed"), &options).expect("no disk, no trouble");
    let stream = writer.add_stream(car()).unwrap();
    let describes = StreamSpec { describes: Some(stream), ..StreamSpec::rows("car.text") };
    let text = writer.add_stream(StreamSpec { role: gametape_format::Role::Describe, ..describes }).unwrap();
    writer.metadata(0, "track", "Nowhere Ring").unwrap();
    writer.clock(0, 1_700_000_000_000_000_000).unwrap();
    writer.event(1, "mark", "here").unwrap();
    writer.count(stream, &Counters { torn: 1, ..Counters::default() });
    for i in 0..frames {
        let mut row = row(i);
        row.truncate(if i / change_every % 2 == 1 { 19 } else { 20 });
        while writer.append(stream, i * 1_000_000_000, &row).is_err() {
            std::thread::yield_now();
        }
    }
    while writer.append(text, 5, b"a text").is_err() {
        std::thread::yield_now();
    }
    if close {
        writer.finish().unwrap();
    } else {
        drop(writer);
    }
    let files = files.0.lock().unwrap();
    files.values().cloned().collect()
}

pub(crate) fn tapes() -> Vec<Vec<u8>> {
    vec![
        record(12, 100, true).swap_remove(0),
        record(60, 3, true).swap_remove(0),
        record(200, 50, false).swap_remove(0),
    ]
}

pub(crate) fn journals() -> Vec<Vec<u8>> {
    let mut journals: Vec<_> = record(30, 7, false).into_iter().chain(record(200, 50, false)).collect();
    journals.retain(|file| file.starts_with(b"\x89GTJRNL"));
    for journal in &mut journals {
        // The zeros at the end would take most mutations.
        let used = journal.iter().rposition(|byte| *byte != 0).unwrap_or_default();
        journal.truncate(used + 100);
    }
    journals
}

pub(crate) fn descriptors() -> Vec<Vec<u8>> {
    let described = StreamSpec { describes: Some(StreamId(3)), skip_unchanged: true, ..StreamSpec::rows("text") };
    vec![car().to_bytes(), described.to_bytes()]
}

/// Kind and unpacked head of all records of the tapes.
fn heads() -> Vec<(u8, u32, Vec<u8>)> {
    let mut heads = Vec::new();
    for tape in tapes() {
        let number = |at: usize| u32::from_le_bytes(tape[at..at + 4].try_into().unwrap());
        let mut at = 64;
        while tape.get(at..at + 4) == Some(b"GTR\x1a") {
            let head = &tape[at + 64..at + 64 + number(at + 12) as usize];
            heads.extend(pack::unpack(head, 1 << 20).ok().map(|raw| (tape[at + 4], number(at + 40), raw)));
            at += 64 + number(at + 8) as usize;
        }
    }
    heads
}

pub(crate) fn footers() -> Vec<Vec<u8>> {
    heads().into_iter().filter(|(kind, _, _)| *kind == 5).map(|(_, _, raw)| raw).collect()
}

pub(crate) fn index_pages() -> Vec<Vec<u8>> {
    let pages = heads().into_iter().filter(|(kind, _, _)| *kind == 4);
    pages.map(|(_, rows, raw)| [&(rows as u16).to_le_bytes()[..], &[0b1100], &raw].concat()).collect()
}

pub(crate) fn column_blocks() -> Vec<Vec<u8>> {
    let columns = car().to_columns();
    let mut seeds = Vec::new();
    for rows in [1u64, 5, 40, 300] {
        let times: Vec<u64> = (0..rows).map(|i| i * 16_666_667 + i % 3).collect();
        let data: Vec<u8> = (0..rows).flat_map(row).collect();
        let mut payload = Vec::new();
        let head = BlockEncoder::default().encode(&columns, 20, &times, &data, &mut payload).unwrap();
        let kinds = columns.iter().map(|column| column.width.trailing_zeros() as u8 | u8::from(column.float) << 2);
        let mut seed = (rows as u16).to_le_bytes().to_vec();
        seed.push(columns.len() as u8);
        seed.extend((head as u16).to_le_bytes());
        seed.extend(kinds);
        seed.extend(payload);
        seeds.push(seed);
    }
    seeds
}

pub(crate) fn integers() -> Vec<Vec<u8>> {
    let makes: [fn(u64) -> u64; 4] = [|_| 7, |i| i * 1000, |i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15), |i| i / 50];
    let mut seeds = Vec::new();
    for make in makes {
        for count in [1u16, 12, 200] {
            let values: Vec<u64> = (0..u64::from(count)).map(make).collect();
            let mut seed = count.to_le_bytes().to_vec();
            encode_integers(&values, &mut seed);
            seeds.push(seed);
        }
    }
    seeds
}

/// State files of a watch: a file that was reported twice, one that was waited for, a name that needs escapes.
pub(crate) fn watch_states() -> Vec<Vec<u8>> {
    let hash = "af".repeat(32);
    let lines = [
        "gametape-watch 1".to_owned(),
        format!("{hash}\t1200\t1700000000000000000\t/replays/a.replay"),
        format!("{hash}\t1300\t-\t/replays/a.replay"),
        "-\t0\t-\t/replays/b%c3%a4%25%0a.replay".to_owned(),
        format!("{hash}\t0\t-\tC:\\replays\\c.rec"),
    ];
    vec![format!("{}\n", lines.join("\n")).into_bytes()]
}

/// Replays of each format whose structure is tested.
pub(crate) fn replay_files() -> Vec<Vec<u8>> {
    replay_seeds::replays().into_iter().map(|(_, file)| file).collect()
}

/// What the system says of a process, and its command line behind the first NUL.
pub(crate) fn processes() -> Vec<Vec<u8>> {
    let status = "Name:\tAC2-Win64-Shipp\nState:\tS (sleeping)\nUid:\t1000\t1000\t1000\t1000\n";
    let commands = ["Z:\\games\\AC2-Win64-Shipping.exe\0-x\0", "/usr/bin/wine64\0C:\\acs.exe\0"];
    commands.map(|command| format!("{status}\0{command}").into_bytes()).into()
}

/// Lines of `/proc/PID/maps`, with files that have no name any more.
#[cfg(target_os = "linux")]
pub(crate) fn proc_texts() -> Vec<Vec<u8>> {
    let lines = [
        "7f2e40000000-7f2e40001000 rw-s 00000000 00:1a 123456                     /tmp/.wine-1000/server-2b-1c/tmpmap-0a1b (deleted)",
        "00330000-00340000 r--s 00010000 00:01 77 /memfd:wine-mapping (deleted)",
        "7ffe0000-7ffe1000 r--s 00000000 00:1a 5 /tmp/tmpmap-clock (deleted)",
        "7f2e40000000-7f2e40001000 rw-p 00000000 00:00 0                          [heap]",
    ];
    vec![lines.join("\n").into_bytes(), lines[0].into(), lines[1].into()]
}

/// What clients of iRacing ask.
pub(crate) fn status_requests() -> Vec<Vec<u8>> {
    let asked =
        ["GET /get_sim_status?object=simStatus HTTP/1.1\r\nHost: 127.0.0.1:32034\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"];
    asked.map(|text| text.as_bytes().to_vec()).into()
}

/// What clients of Echo VR ask a player.
pub(crate) fn http_requests() -> Vec<Vec<u8>> {
    let asked = [
        "GET /session HTTP/1.1\r\nHost: 127.0.0.1:6721\r\nOrigin: http://localhost:8080\r\nConnection: keep-alive\r\n\r\n",
        "POST /set_rules?x=1 HTTP/1.0\r\nHost: [::1]\r\nContent-Length: 2\r\n\r\n{}",
    ];
    asked.map(|text| text.as_bytes().to_vec()).into()
}

/// Headers of tapes: rows of 1000 bytes, 10 variables.
pub(crate) fn play_headers() -> Vec<Vec<u8>> {
    let mut header = Vec::new();
    let numbers = [2, 1, 60, 1, 524_288, 112, 10, 524_400, 3, 1000, 9, 2];
    let buffers = [1_114_224, 1_138_800, 1_163_376].map(|at| [7, at, 7, 0]);
    for number in numbers.into_iter().chain(buffers.into_iter().flatten()) {
        header.extend(i32::to_le_bytes(number));
    }
    header.resize(112, 0);
    vec![header]
}

/// One iRacing file: header, two variables, a text, three rows.
pub(crate) fn ibt_files() -> Vec<Vec<u8>> {
    let text = b"---\nWeekendInfo:\n TrackName: test\n";
    let text_start = 144 + 2 * 144;
    let row_start = text_start + text.len() as i32;
    let mut file = Vec::new();
    for number in [2, 1, 60, 0, text.len() as i32, text_start, 2, 144, 1, 12, 0, 0, 77, row_start] {
        file.extend(i32::to_le_bytes(number));
    }
    file.resize(112, 0);
    file.extend(1_700_000_000_i64.to_le_bytes());
    file.extend(100.0_f64.to_le_bytes());
    file.extend(101.0_f64.to_le_bytes());
    file.extend([1i32, 3].iter().flat_map(|number| number.to_le_bytes()));
    for (kind, offset, name) in [(5i32, 0i32, "SessionTime"), (4, 8, "Speed")] {
        let end = file.len() + 144;
        file.extend([kind, offset, 1, 0].iter().flat_map(|number| number.to_le_bytes()));
        file.extend(name.as_bytes());
        file.resize(end, 0);
    }
    file.extend(text);
    for i in 0..3 {
        file.extend((100.0 + f64::from(i) / 60.0).to_le_bytes());
        file.extend((i as f32).to_le_bytes());
    }
    vec![file]
}

/// iRacing's live memory, small: header, a text, two variables, three row buffers; without and with begin counts.
pub(crate) fn irsdk_maps() -> Vec<Vec<u8>> {
    let maps = [[0; 3], [7, 8, 9]].map(|begins: [i32; 3]| {
        let mut map = Vec::new();
        for number in [2, 1, 60, 1, 400, 112, 2, 512, 3, 12, 9, 2] {
            map.extend(i32::to_le_bytes(number));
        }
        for (index, begin) in begins.into_iter().enumerate() {
            let tick = 7 + index as i32;
            map.extend([tick, 800 + 16 * index as i32, begin, 0].iter().flat_map(|number| number.to_le_bytes()));
        }
        map.resize(112, 0);
        map.extend(session_texts().concat());
        map.resize(512, 0);
        for (kind, offset, name) in [(5i32, 0i32, "SessionTime"), (4, 8, "Speed")] {
            let end = map.len() + 144;
            map.extend([kind, offset, 1, 0].iter().flat_map(|number| number.to_le_bytes()));
            map.extend(name.as_bytes());
            map.resize(end, 0);
        }
        map.resize(848, 0x40);
        map
    });
    maps.into()
}

/// Cursors of queries, and what stands in columns of the store.
pub(crate) fn store_texts() -> Vec<Vec<u8>> {
    [
        "sessions.i1700000000000000.b00112233445566778899aabbccddeeff",
        "bests.t69726163696e67.t537061.t.i99000.i-5",
        r#"[[31234,"official"],[null,"none"]]"#,
        r#"[{"at_fraction":0.5,"at_ns":5,"at_sector":2,"code":"cut","source":"game"}]"#,
        r#"{"air_celsius":21.5,"caution":false,"rain":"dry"}"#,
        r#"["a","b"]"#,
        r#"{"format":1,"tracker":["laps",3],"session":[{"b":"00"},null,"iracing",null,"race",0],"stints":[[{"b":"00"},1]],"laps":[],"facts":null,"hidden":[["Driver 1","private"]]}"#,
        r#"{"format":2,"tracker":["laps",3],"session":[{"b":"00"}],"stints":[],"laps":[],"facts":null,"hidden":[],"cars":[[{"b":"00"},1,0]],"car_laps":[[{"b":"00"},1,1,90000,"[30000,null]",1,"[true]"]]}"#,
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec()
}

/// The parts of iRacing's session text that are read.
pub(crate) fn session_texts() -> Vec<Vec<u8>> {
    let text = "---\nWeekendInfo:\n TrackDisplayName: Test\n TrackConfigName: null\n BuildVersion: 1.2\n\nSessionInfo:\n \
        CurrentSessionNum: 0\n Sessions:\n - SessionNum: 0\n   SessionType: \"Race\"\n\nDriverInfo:\n DriverCarIdx: 3\n \
        Drivers:\n - CarIdx: 3\n   CarScreenName: Car\n";
    vec![text.into()]
}

/// A page of each game with one page of shared memory, after a lap of the simulated car.
fn pages() -> Vec<Vec<u8>> {
    use gametape_simulator::{Script, Settings, Simulation, page_encoder};
    let encoders = gametape_games::GAMES.iter().filter_map(|game| page_encoder(game.id));
    let page = |mut encoder: Box<dyn gametape_simulator::PageEncoder>| {
        let (mut simulation, mut page) = (Simulation::driving(Settings::default(), Script::new()), Vec::new());
        while simulation.ms() < 42_000 {
            simulation.step();
            if let Some(driven) = simulation.game() {
                encoder.encode(simulation.ms(), driven, &mut page);
            }
        }
        page
    };
    encoders.map(page).collect()
}

/// A datagram of each kind that the simulated car sends as any game.
pub(crate) fn datagrams() -> Vec<Vec<u8>> {
    use gametape_simulator::{Datagrams, Script, Settings, Simulation, datagram_encoder};
    let mut kinds = std::collections::BTreeMap::new();
    for game in gametape_games::GAMES {
        let Some(mut encoder) = datagram_encoder(game.id) else { continue };
        let mut simulation = Simulation::driving(Settings::default(), Script::new());
        let mut sent = Datagrams::default();
        for _ in 0..2000 {
            simulation.step();
            if let Some(driven) = simulation.game() {
                encoder.encode(simulation.ms(), driven, &mut sent);
            }
        }
        for datagram in sent.iter() {
            kinds.entry((game.id, datagram.len())).or_insert_with(|| datagram.to_vec());
        }
    }
    kinds.into_values().collect()
}

/// Messages of Assetto Corsa Competizione's broadcasting, and those of its clients.
pub(crate) fn acc_broadcasts() -> Vec<Vec<u8>> {
    use gametape_games::acc::broadcast::{register, request_entry_list, request_track_data, unregister};
    let sent = datagrams().into_iter();
    let mut seeds: Vec<Vec<u8>> =
        sent.filter(|datagram| gametape_games::acc::GAME.rules.datagram(datagram, &mut Vec::new()).is_some()).collect();
    seeds.extend([register("gametape", "asd", 250), unregister(1), request_entry_list(1), request_track_data(1)]);
    seeds
}

/// `broadcasting.json` of Assetto Corsa Competizione, in two encodings.
pub(crate) fn request_files() -> Vec<Vec<u8>> {
    let text = "{\n \"updListenerPort\": 9000,\n \"connectionPassword\": \"asd\",\n \"commandPassword\": \"\"\n}";
    let units = text.encode_utf16().flat_map(u16::to_le_bytes);
    vec![text.into(), [0xFF, 0xFE].into_iter().chain(units).collect()]
}

/// Requests to games that send nothing unasked, and what such games send.
pub(crate) fn requests() -> Vec<Vec<u8>> {
    let mut requests: Vec<Vec<u8>> = [b"A", b"B", b"C", b"~"].map(|letter| letter.to_vec()).into();
    for game in gametape_games::GAMES {
        let protocol = game.rules.requests();
        let Some(mut client) = protocol.and_then(|protocol| protocol.client(&Default::default())) else { continue };
        for stream in game.streams {
            client.requests(0, &mut requests);
            client.received(0, stream.name, &[]);
            client.requests(u64::MAX, &mut requests);
        }
        client.end(&mut requests);
    }
    requests.sort();
    requests.dedup();
    requests.extend(datagrams().into_iter().filter(|datagram| matches!(datagram.len(), 212..=408)));
    requests
}

/// The pages of the games of the Assetto Corsa family, live, with what their rules look at.
pub(crate) fn frames() -> Vec<Vec<u8>> {
    use gametape_games::{Chars, Utf16, ac, acc, ace};
    use zerocopy::IntoBytes as _;

    let physics = ac::Physics { packet_id: 9, gear: 3, speed_kmh: 120.0, gas: 0.5, ..ac::Physics::default() };
    let head = ac::GraphicsHead { status: 2, session: 1, i_last_time: 90_000, ..ac::GraphicsHead::default() };
    let name = Utf16::new("test");
    let statics = ac::Static { ac_version: Utf16::new("1.2"), car_model: name, track: name, ..ac::Static::default() };

    let graphics = ac::Graphics { head, car_coordinates: [5.0; 3], ..ac::Graphics::default() };
    let ac = [physics.as_bytes(), graphics.as_bytes(), statics.as_bytes()].concat();
    let physics = acc::Physics { head: physics, water_temp: 90.0, ..acc::Physics::default() };
    let graphics = acc::Graphics { head, active_cars: 20, is_valid_lap: 1, ..acc::Graphics::default() };
    let statics = acc::Static { head: statics, is_online: 1, ..acc::Static::default() };
    let acc = [physics.as_bytes(), graphics.as_bytes(), statics.as_bytes()].concat();
    let (graphics, blank) = (
        ace::Graphics {
            status: 2,
            is_valid_lap: 1,
            active_cars: 9,
            car_model: Chars::new("test"),
            ..ace::Graphics::default()
        },
        acc::Graphics::default(),
    );
    let track = ace::Static { session: 1, track: Chars::new("test"), track_length_m: 4e3, ..ace::Static::default() };
    let ace = [physics.as_bytes(), graphics.as_bytes(), track.as_bytes()].concat();
    let acr = [physics.as_bytes(), blank.as_bytes(), statics.as_bytes()].concat();
    let mut seeds = vec![ac, acc, ace, acr];
    seeds.extend(pages());
    seeds
}

/// Blocks of texts: rows, raw bytes, payload.
/// Moments of a race of three cars: before the start, in the first lap, and around the line.
pub(crate) fn vehicles() -> Vec<Vec<u8>> {
    use gametape_simulator::{RFactor2Pages, Race, RaceSettings};
    let mut race = Race::new(RaceSettings { cars: 3, ..RaceSettings::default() });
    let mut pages = RFactor2Pages::default();
    let mut moment = |steps: usize| {
        for _ in 0..steps {
            race.step();
            race.write_rfactor_2(&mut pages);
        }
        let parts = [pages.scoring.get(..560 + 3 * 584), pages.telemetry.get(16..16 + 3 * 1888)];
        parts.into_iter().flatten().collect::<Vec<_>>().concat()
    };
    let moments = [1, 2000, 2000, 300].map(&mut moment);
    let mut seeds = moments.to_vec();
    seeds.push(moments.concat());
    seeds
}

pub(crate) fn json_blocks() -> Vec<Vec<u8>> {
    let texts: [fn(u64) -> String; 3] = [
        |i| format!("{{\"n\":{i},\"x\":[{}.5,-0.25e-5,26.869001],\"s\":\"05:{:02}\"}}", i * 3, i % 60),
        |i| format!("{{\"a\":{},\"b\":{}}}", ["1e5", "-0.0", "null", "1.50"][i as usize % 4], i % 2 == 0),
        |i| format!("2023/04/01 12:34:56.{i:03}\t{}\r\n", "x".repeat(i as usize % 3)),
    ];
    let mut seeds = Vec::new();
    for text in texts {
        let files = Memory::default();
        let options = WriteOptions::new(TapeId([7; 16]));
        let mut tape =
            gametape_format::write::TapeBuilder::create(Arc::new(files.clone()), Path::new("seed"), &options, true)
                .unwrap();
        let stream = tape.add_stream(StreamSpec::json("text"), 0).unwrap();
        (0..40).for_each(|i| tape.append(stream, i, text(i).as_bytes()).unwrap());
        tape.finish().unwrap();
        let files = files.0.lock().unwrap();
        let tape = files.values().next().unwrap();
        let number = |at: usize| u32::from_le_bytes(tape[at..at + 4].try_into().unwrap());
        let mut at = 64;
        while tape.get(at..at + 4) == Some(b"GTR\x1a") {
            let payload = &tape[at + 64..at + 64 + number(at + 8) as usize];
            if tape[at + 4] == 3 && tape[at + 5] == 2 {
                let mut seed = (number(at + 40) as u16).to_le_bytes().to_vec();
                seed.extend(&number(at + 44).to_le_bytes()[..3]);
                seed.extend(payload);
                seeds.push(seed);
            }
            at += 64 + payload.len();
        }
    }
    seeds
}

pub(crate) fn echo_answers() -> Vec<Vec<u8>> {
    use gametape_games::echo_vr::simulated::{Match, Settings};
    let answers = Match::new(Settings { frames: 2, ..Settings::default() });
    answers.flat_map(|answer| [answer.session.into_bytes(), b"{\"err_code\":-6}".to_vec()]).collect()
}

/// The settings of EA SPORTS WRC with a structure, and with the one that the game comes with.
pub(crate) fn user_settings() -> Vec<Vec<u8>> {
    let config = |structure: &str| {
        let entry = |packet: &str| {
            format!(
                "{{\"structure\":\"{structure}\",\"packet\":\"{packet}\",\"ip\":\"127.0.0.1\",\"port\":20777,\"bEnabled\":true}}"
            )
        };
        let packets = ["session_start", "session_update", "session_end"].map(entry).join(",");
        format!("{{\"schema\":2,\"udp\":{{\"packets\":[{packets}]}}}}")
    };
    let own = [config("gametape").as_bytes(), b"\0", gametape_games::ea_wrc::STRUCTURE_JSON.as_bytes()].concat();
    vec![own, config("wrc").into_bytes()]
}
