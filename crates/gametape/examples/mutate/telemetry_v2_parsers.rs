//! Telemetry V2 and its older sibling, with small valid files. Takes nothing, gives parsers and their seeds.
#![allow(clippy::unwrap_used, reason = "a program for developers; its inputs are its own")]

use telemetry_v2::generation::Generation;
use telemetry_v2::nevrcap;
use telemetry_v2::proto::engine::v1::{PlayerBonesResponse, SessionResponse, UserBones};
use telemetry_v2::proto::spatial::v1::{Pose, Vec3};
use telemetry_v2::proto::telemetry::v1::{LobbySessionStateFrame, TelemetryHeader};
use telemetry_v2::proto::telemetry::v2::echo_event::Event;
use telemetry_v2::proto::telemetry::v2::{
    CaptureHeader, DiscPossessionChanged, EchoArenaFrame, EchoArenaHeader, Frame, GoalScored, LoadoutChanged,
    PlayerInfo, PlayerJoined, PlayerState, capture_header, envelope, frame,
};
use telemetry_v2::read::{Item, Reader};
use telemetry_v2::skeleton::player_bones;
use telemetry_v2::write::{Layout, WriteOptions, Writer};
use telemetry_v2::{Clock, Dictionary, Record, ScoreboardUpdated, Timestamp};

use super::Parser;

/// Readers of captures of Echo VR.
pub(super) fn parsers() -> Vec<Parser> {
    vec![
        Parser { name: "v2-envelope", run: telemetry_v2::fuzz_envelope, seeds: envelopes },
        Parser { name: "v2-tape", run: telemetry_v2::fuzz_tape, seeds: tapes },
        Parser { name: "v2-tape-resealed", run: telemetry_v2::fuzz_tape_resealed, seeds: unpacked_tapes },
        Parser { name: "v2-nevrcap", run: telemetry_v2::fuzz_nevrcap, seeds: nevrcaps },
        Parser { name: "import-v2-tape", run: gametape::import::fuzz_import_v2_tape, seeds: plain_tapes },
        Parser {
            name: "import-v2-dictionary",
            run: gametape::import::fuzz_import_v2_dictionary,
            seeds: dictionary_tapes,
        },
        Parser { name: "import-nevrcap", run: gametape::import::fuzz_import_nevrcap, seeds: plain_nevrcaps },
        Parser { name: "echo-mapping", run: gametape::echo::fuzz_echo_mapping, seeds: answers },
    ]
}

/// Answers of a short match, line by line: `/session`, `/player_bones`, and so on.
fn answers() -> Vec<Vec<u8>> {
    use gametape_games::echo_vr::simulated::{Match, Settings};
    let of = |bones| {
        let settings = Settings { frames: 3, rate_hz: 1.0, bones, ..Settings::default() };
        let lines = Match::new(settings).map(|answers| format!("{}\n{}\n", answers.session, answers.player_bones));
        lines.collect::<String>().into_bytes()
    };
    vec![of(false), of(true), b"{\"err_code\":-6}\n\n{\"teams\":[{\"players\":[{\"playerid\":3}]}]}\n{}".to_vec()]
}

/// Files that are not packed: of Echo VR, and of a game without messages of its own.
fn plain_tapes() -> Vec<Vec<u8>> {
    use gametape::export::v2::{CaptureHead, RawMaker};
    use gametape_format::{Role, StreamId, StreamSpec};
    let rows = StreamSpec { game: "some-game".to_owned(), ..StreamSpec::rows("rows") };
    let names = StreamSpec { role: Role::Describe, describes: Some(StreamId(0)), ..StreamSpec::rows("names") };
    let head = CaptureHead {
        start_utc_ns: Some(5),
        metadata: [("a".to_owned(), "b".to_owned())].into(),
        ..CaptureHead::default()
    };
    let mut raw = RawMaker::new(head, "some-game", &[rows, names]).unwrap();
    raw.frame("names", 0, 0, b"a, b").unwrap();
    for number in 0..5 {
        raw.frame("rows", number * 1_000_000, number, &[1, 2, 3]).unwrap();
        raw.mark(number * 1_000_000, "mark", "here").unwrap();
    }
    let of_echo = [Generation::Third, Generation::Seed].map(|generation| capture(Layout::Plain, generation));
    of_echo.into_iter().chain([raw.finish().unwrap(), fifth(Layout::Plain, None)]).collect()
}

const DICTIONARY: &[u8] = include_bytes!("../../../telemetry-v2/tests/data/dictionary.zdict");

/// A capture of the fifth generation: numbers in fields 101 and 102, settings of the match as events, perhaps a dictionary. One field of its header has an unexpected type.
fn fifth(layout: Layout, dictionary: Option<&Dictionary>) -> Vec<u8> {
    let header = CaptureHeader {
        format_version: 2,
        format_minor: 2,
        nominal_frame_rate_hz: Some(60),
        idle_frame_rate_hz: Some(5),
        dictionary_sha256: dictionary.map(|one| one.sha256().to_vec().into()).unwrap_or_default(),
        ..header()
    };
    let whole = Record::from_message(envelope::Message::Header(header));
    let mut message = telemetry_v2::wire::Fields::new(whole.bytes()).next().unwrap().unwrap().bytes().unwrap().to_vec();
    message.extend([0x48, 7]);
    let mut bytes =
        vec![0x0a, u8::try_from(message.len() & 127).unwrap() | 128, u8::try_from(message.len() >> 7).unwrap()];
    bytes.extend(message);
    let record = Record::from_bytes(bytes).unwrap();
    let options = WriteOptions { layout, keyframe_interval: 3, keyframe_state: false, ..WriteOptions::default() };
    let mut writer = match dictionary {
        Some(dictionary) => Writer::copying_with_dictionary(Vec::new(), &record, options, dictionary).unwrap(),
        None => Writer::copying(Vec::new(), &record, options).unwrap(),
    };
    for index in 0..8 {
        let mut frame = frame_of(index);
        if let Some(frame::Payload::EchoArena(arena)) = &mut frame.payload {
            arena.events.push(Event::MatchSettingsChanged(vec![8, 1].into()).into());
        }
        writer.record(&Record::from_message(envelope::Message::Frame(frame))).unwrap();
    }
    writer.finish().unwrap().0
}

/// A dictionary and files that were packed with it, as the parser wants them.
fn dictionary_tapes() -> Vec<Vec<u8>> {
    let dictionary = Dictionary::from_bytes(DICTIONARY).unwrap();
    let length = u32::try_from(DICTIONARY.len()).unwrap().to_le_bytes();
    let files = [Layout::Plain, Layout::Blocks, Layout::Stream].map(|layout| fifth(layout, Some(&dictionary)));
    files.into_iter().map(|file| [&length, DICTIONARY, &file].concat()).collect()
}

/// Files of the first version that are not packed: behind a checksum mutations would not get far.
fn plain_nevrcaps() -> Vec<Vec<u8>> {
    let unpacked = |file: Vec<u8>| {
        let mut reader = nevrcap::Reader::new(file.as_slice()).unwrap();
        let mut writer = None;
        while let Some(item) = reader.next().unwrap() {
            match item {
                nevrcap::Item::Header(record) => {
                    writer = Some(nevrcap::Writer::copying_plain(Vec::new(), &record.bytes).unwrap());
                }
                nevrcap::Item::Frame(record) => writer.as_mut().unwrap().raw(&record.bytes).unwrap(),
                nevrcap::Item::Problem(problem) => unreachable!("{problem}"),
            }
        }
        writer.unwrap().finish().unwrap()
    };
    nevrcaps().into_iter().map(unpacked).collect()
}

fn header() -> CaptureHeader {
    let player = PlayerInfo { account_number: 7, display_name: "Driver 1".to_owned(), ..Default::default() };
    let arena = EchoArenaHeader { session_id: "s".to_owned(), initial_roster: vec![player], ..Default::default() };
    CaptureHeader {
        capture_id: "c".to_owned(),
        created_at: Some(Timestamp { seconds: 1_772_197_642, nanos: 5 }),
        metadata: [("a".to_owned(), "b".to_owned())].into(),
        game_header: Some(capture_header::GameHeader::EchoArena(arena)),
        ..Default::default()
    }
}

fn frame_of(index: u32) -> Frame {
    let head = Some(Pose { position: Some(Vec3 { x: 1.0, y: -0.0, z: 3.5 }), orientation: None });
    let event = match index {
        0 => Event::PlayerJoined(PlayerJoined { slot: 1, account_number: 8, ..Default::default() }),
        1 => Event::ScoreboardUpdated(ScoreboardUpdated {
            blue_points: 2,
            clock: Some(Clock::Display("01:02.50".to_owned())),
            ..Default::default()
        }),
        2 => Event::DiscPossessionChanged(DiscPossessionChanged { player_slot: Some(0), previous_player_slot: None }),
        3 => Event::LoadoutChanged(LoadoutChanged { player_slot: 1, weapon: "scout".to_owned(), ..Default::default() }),
        _ => Event::GoalScored(GoalScored { point_amount: 3, assist_slot: Some(0), ..Default::default() }),
    };
    let arena = EchoArenaFrame {
        game_clock: 120.5,
        players: vec![PlayerState { slot: 1, head, ping: 20, ..Default::default() }],
        player_bones: vec![player_bones(1, &[[1.0, 2.0, 3.0]; 2], &[[0.0, 0.0, 0.0, 1.0]; 2])],
        disc_holder_slot: Some(0),
        events: vec![event.into()],
        ..Default::default()
    };
    Frame {
        frame_index: index,
        timestamp_offset_ms: index * 16,
        payload: Some(frame::Payload::EchoArena(arena)),
        ..Default::default()
    }
}

fn capture(layout: Layout, generation: Generation) -> Vec<u8> {
    let options = WriteOptions { layout, generation, keyframe_interval: 3, ..WriteOptions::default() };
    let mut writer = Writer::new(Vec::new(), header(), options).unwrap();
    (0..8).for_each(|index| writer.frame(frame_of(index)).unwrap());
    writer.finish().unwrap().0
}

fn envelopes() -> Vec<Vec<u8>> {
    let stream = capture(Layout::Plain, Generation::Third);
    let mut reader = Reader::new(stream.as_slice()).unwrap();
    let mut seeds = vec![stream.clone(), capture(Layout::Plain, Generation::Seed), fifth(Layout::Plain, None)];
    while let Some(Item::Record(placed)) = reader.next().unwrap() {
        seeds.push(placed.record.bytes().to_vec());
    }
    seeds
}

fn tapes() -> Vec<Vec<u8>> {
    let layouts = [Layout::Plain, Layout::Blocks, Layout::Stream];
    layouts
        .into_iter()
        .flat_map(|layout| [Generation::Third, Generation::Seed].map(|generation| capture(layout, generation)))
        .chain(layouts.map(|layout| fifth(layout, None)))
        .collect()
}

/// The contents of the blocks of a file, as the parser wants them. The footer says which places of the packed file are keyframes: they are right for what it packs only as
/// far as its packing gives the same lengths, which the mutations make no worse.
fn unpacked_tapes() -> Vec<Vec<u8>> {
    [Generation::Third, Generation::Seed].map(|generation| unpacked(&capture(Layout::Blocks, generation))).into()
}

fn unpacked(file: &[u8]) -> Vec<u8> {
    let mut blocks: Vec<(Option<u64>, Vec<u8>)> = Vec::new();
    let mut reader = Reader::new(file).unwrap();
    while let Some(Item::Record(placed)) = reader.next().unwrap() {
        if blocks.last().is_none_or(|(block, _)| *block != placed.place.block) {
            blocks.push((placed.place.block, Vec::new()));
        }
        let length = placed.record.bytes().len();
        let block = &mut blocks.last_mut().unwrap().1;
        if length >= 128 {
            block.extend([u8::try_from(length & 127).unwrap() | 128, u8::try_from(length >> 7).unwrap()]);
        } else {
            block.push(u8::try_from(length).unwrap());
        }
        block.extend_from_slice(placed.record.bytes());
    }
    let mut out = vec![u8::try_from(blocks.len()).unwrap()];
    blocks.iter().for_each(|(_, content)| out.extend(u16::try_from(content.len()).unwrap().to_le_bytes()));
    blocks.iter().for_each(|(_, content)| out.extend_from_slice(content));
    out
}

fn nevrcaps() -> Vec<Vec<u8>> {
    let header = TelemetryHeader {
        capture_id: "c".to_owned(),
        created_at: Some(Timestamp { seconds: 1, nanos: 2 }),
        ..Default::default()
    };
    let frames: Vec<_> = (0..5)
        .map(|frame_index| LobbySessionStateFrame {
            frame_index,
            timestamp: header.created_at,
            session: Some(SessionResponse {
                session_id: "s".to_owned(),
                possession: vec![-1, -1],
                ..Default::default()
            }),
            player_bones: Some(PlayerBonesResponse {
                user_bones: vec![UserBones { bone_t: vec![1.0; 6], player_index: 1, bone_o: vec![0.5; 8] }],
                err_code: 0,
            }),
            ..Default::default()
        })
        .collect();
    let write = |mut writer: nevrcap::Writer<Vec<u8>>| {
        frames.iter().for_each(|frame| writer.frame(frame).unwrap());
        writer.finish().unwrap()
    };
    vec![
        write(nevrcap::Writer::new(Vec::new(), &header, 1).unwrap()),
        write(nevrcap::Writer::plain(Vec::new(), &header).unwrap()),
    ]
}
