//! Endpoints of a tape: contents, channels over time, file, export, playback.
use gametape::export::arrow::PARQUET;
use gametape::export::{Export, ExportSink, Exporter as _, Split, choose};
use gametape::format::StreamSpec;
use gametape::format::read::Tape;
use gametape::format::write::{StdFiles, WriteOptions, Writer};
use gametape::store::{DriverEdit, Scope, Store, Visibility};
use gametape::sys::{Prefix, SectionReader};
use serde_json::{Value, json};

use super::channels::{Driven, driven};
use super::*;

const JSON: (&str, &str) = ("content-type", "application/json");
const OWN: (&str, &str) = ("origin", "http://127.0.0.1:7223");

fn id() -> String {
    TapeId([9; 16]).to_string()
}

fn at(rest: &str) -> String {
    format!("/api/v1/tapes/{}{rest}", id())
}

fn numbers(value: &Value) -> Vec<Option<f64>> {
    value.as_array().unwrap().iter().map(Value::as_f64).collect()
}

/// A server that plays with its own shared-memory names.
fn playing(test: &str) -> (Driven, Prefix) {
    let driven = driven(local());
    let prefix = Prefix::new(&format!("gametape-test-{}-{test}-", std::process::id())).unwrap();
    driven.server.state.playback.under(prefix.clone());
    (driven, prefix)
}

#[tokio::test]
async fn a_tape_says_what_is_on_it() {
    let driven = driven(local());
    let answer = driven.server.get(&at("")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let said = answer.json();
    assert_eq!((&said["tape"]["id"], &said["downloadable"]), (&json!(id()), &json!(true)));
    let physics = &said["streams"][0];
    assert_eq!(physics["name"], "physics");
    assert!((physics["rate_hz"].as_f64().unwrap() - 50.0).abs() < 0.5, "{}", physics["rate_hz"]);
    let tape = Tape::open(&driven.path).unwrap();
    assert_eq!(physics["frames"].as_u64(), Some(tape.stream_named("physics").unwrap().totals().frames));
    assert!(physics["channels"].as_array().unwrap().iter().any(|channel| channel["name"] == "speedKmh"));
    assert!(said["usual"].as_array().unwrap().iter().any(|name| name == "physics/speedKmh"), "{}", said["usual"]);
    let laps: usize =
        said["sessions"].as_array().unwrap().iter().map(|one| one["laps"].as_array().unwrap().len()).sum();
    assert_eq!(laps, driven.tracked.laps().count());
    assert_eq!(said["problems"], json!([]));
    let marks: Vec<_> = said["events"].as_array().unwrap().iter().filter(|event| event["kind"] == "mark").collect();
    assert_eq!((marks.len(), &marks[0]["text"], &marks[0]["at_ns"]), (1, &json!("a mark"), &json!(42_000_000_000_u64)));
    assert!(!answer.text.contains("/tmp"), "no path of this machine");
    let tag = answer.headers["etag"].to_str().unwrap();
    assert_eq!(driven.server.send("GET", &at(""), &[("if-none-match", tag)], "").await.status, 304);
}

#[tokio::test]
async fn an_overview_has_every_peak_and_gets_finer() {
    let driven = driven(local());
    let tape = Tape::open(&driven.path).unwrap();
    let stream = tape.stream_named("physics").unwrap();
    let answer = driven.server.get(&at("/overview?channels=physics/speedKmh,physics/wheelSlip.2&points=100")).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let said = answer.json();
    let expected = tape.overview(stream, "speedKmh", 0, 0..u64::MAX, 100).unwrap();
    let speed = &said["channels"][0];
    let single =
        |values: Vec<Option<f64>>| values.into_iter().map(|value| value.map(|value| value as f32)).collect::<Vec<_>>();
    assert_eq!(single(numbers(&speed["max"])), single(expected.iter().map(|bucket| bucket.max).collect()));
    assert_eq!(single(numbers(&speed["min"])), single(expected.iter().map(|bucket| bucket.min).collect()));
    assert_eq!((speed["from_ns"].as_u64(), speed["unit"].as_str()), (Some(expected[0].from_ns), Some("km/h")));
    assert_eq!(speed["step_ns"].as_u64(), Some(expected[1].from_ns - expected[0].from_ns));
    // The maximum of all frames is in it.
    let mut frames = tape.channels(stream, &["speedKmh"]).unwrap();
    let mut highest = f64::MIN;
    while let Some(block) = frames.next_block().unwrap() {
        (0..block.values[0].len()).for_each(|row| highest = highest.max(block.values[0].as_f64(row).unwrap()));
    }
    let most = numbers(&speed["max"]).into_iter().flatten().fold(f64::MIN, f64::max);
    assert_eq!(most as f32, highest as f32);
    let fine = driven
        .server
        .get(&at("/overview?channels=physics/speedKmh&from_ns=10000000000&to_ns=12000000000&points=100"))
        .await
        .json();
    assert_eq!(fine["channels"][0]["step_ns"], 20_000_000);
    assert!(numbers(&fine["channels"][0]["min"]).iter().flatten().count() > 90);
    assert_eq!((&fine["from_ns"], &fine["to_ns"]), (&json!(10_000_000_000_u64), &json!(12_000_000_000_u64)));
    // Names are resolved as on the command line.
    for name in ["gear", "GEAR", "Physics/gear"] {
        let found = driven.server.get(&at(&format!("/overview?channels={name}"))).await.json();
        assert_eq!(found["channels"][0]["name"], "physics/gear", "{name}");
    }
    let usual = driven.server.get(&at("/overview")).await.json();
    assert!(usual["channels"].as_array().unwrap().len() >= 5);
}

#[tokio::test]
async fn wrong_questions_about_a_tape_are_refused_with_the_reason() {
    let driven = driven(local());
    let nobody = "0".repeat(32);
    for (path, status, words) in [
        (at("?x=1"), 400, "unknown field"),
        (format!("/api/v1/tapes/{nobody}"), 404, "no such tape"),
        ("/api/v1/tapes/..%2f..%2fetc".to_owned(), 400, "32 hexadecimal"),
        (format!("/api/v1/tapes/{nobody}/file"), 404, "no such tape"),
        ("/api/v1/tapes/..%2f..%2fetc%2fpasswd/file".to_owned(), 400, "32 hexadecimal"),
        (at("/file?path=/etc/passwd"), 400, "path"),
        (at("/overview?channels=nothing"), 400, "no channel"),
        (at("/overview?channels=physics/nothing"), 400, "no channel"),
        (at("/overview?channels=physics/wheelSlip"), 400, "wheelSlip.0 to"),
        (at("/overview?channels=physics/wheelSlip.4"), 400, "4 elements"),
        (at("/overview?channels=speedKm"), 400, "did you mean speedKmh"),
        (at("/overview?channels=static/track"), 400, "is text"),
        (at("/overview?channels=a,,b"), 400, "empty"),
        (at(&format!("/overview?channels={}", ["physics/gas"; 17].join(","))), 400, "at most 16"),
        (at("/overview?points=9"), 400, "10 and 4000"),
        (at("/overview?from_ns=5&to_ns=5"), 400, "later"),
        (at("/export"), 400, "format"),
        (at("/export?format=pdf"), 400, "csv, jsonl, parquet, motec, mcap or html"),
        (at("/export?format=html&lap=1"), 400, "has all laps"),
        (at("/export?format=csv&lap=99"), 404, "no lap 99"),
        (at("/export?format=csv&channels=physics/nothing"), 400, "no channel"),
        (at("/export?format=csv&stream=physics"), 400, "omit stream"),
        (at("/export?format=parquet"), 400, "physics, graphics"),
        (at("/export?format=parquet&stream=nothing"), 400, "no stream"),
        (at("/export?format=parquet&stream=graphics&channels=physics/gas"), 400, "none of the channels"),
    ] {
        let answer = driven.server.get(&path).await;
        assert!(answer.status == status && answer.text.contains(words), "{path}: {} {}", answer.status, answer.text);
        assert!(!answer.text.contains("/tmp"), "{}", answer.text);
    }
    std::fs::rename(&driven.path, driven.path.with_extension("moved")).unwrap();
    for rest in ["", "/overview", "/file", "/export?format=csv"] {
        let answer = driven.server.get(&at(rest)).await;
        assert_eq!((answer.status.as_u16(), answer.code().as_str()), (404, "tape_not_in_reach"), "{rest}");
    }
    // Another tape at the same path is not returned.
    let options = WriteOptions::new(TapeId([8; 16]));
    let mut other = Writer::create(Arc::new(StdFiles), &driven.path, &options).unwrap();
    let stream = other.add_stream(StreamSpec::rows("moves")).unwrap();
    other.append(stream, 0, b"e4").unwrap();
    other.finish().unwrap();
    assert_eq!(driven.server.get(&at("/file")).await.status, 404);
}

#[tokio::test]
async fn a_tape_is_downloaded_whole_or_from_where_it_was_cut_off() {
    let driven = driven(local());
    let bytes = std::fs::read(&driven.path).unwrap();
    let whole = driven.server.get(&at("/file")).await;
    assert_eq!(whole.status, 200);
    assert_eq!(whole.bytes, bytes);
    assert_eq!(whole.headers["content-length"], bytes.len().to_string().as_str());
    assert_eq!(whole.headers["accept-ranges"], "bytes");
    assert_eq!(
        whole.headers["content-disposition"],
        "attachment; filename=\"a tape.gtape\"; filename*=UTF-8''a%20tape.gtape"
    );
    let tag = whole.headers["etag"].to_str().unwrap().to_owned();
    let part = driven.server.send("GET", &at("/file"), &[("range", "bytes=100-"), ("if-range", &tag)], "").await;
    assert_eq!(part.status, 206);
    assert_eq!(part.bytes, bytes[100..]);
    assert_eq!(part.headers["content-range"], format!("bytes 100-{}/{}", bytes.len() - 1, bytes.len()).as_str());
    let other = driven.server.send("GET", &at("/file"), &[("range", "bytes=100-"), ("if-range", "\"x\"")], "").await;
    assert_eq!((other.status.as_u16(), other.bytes.len()), (200, bytes.len()));
    let none = driven.server.send("GET", &at("/file"), &[("range", "bytes=999999999-")], "").await;
    assert_eq!((none.status.as_u16(), none.code().as_str()), (416, "no_such_range"));
    assert_eq!(none.headers["content-range"], format!("bytes */{}", bytes.len()).as_str());
    assert_eq!(driven.server.send("GET", &at("/file"), &[("if-none-match", &tag)], "").await.status, 304);
    // A tape that is not closed would be incomplete.
    std::fs::File::options().write(true).open(&driven.path).unwrap().set_len(bytes.len() as u64 / 2).unwrap();
    let open = driven.server.get(&at("/file")).await;
    assert_eq!((open.status.as_u16(), open.code().as_str()), (409, "not_closed"));
    let said = driven.server.get(&at("")).await.json();
    assert_eq!((&said["downloadable"], &said["tape"]["complete"]), (&json!(false), &json!(false)));
    assert_eq!(said["tape"]["bytes"], bytes.len() / 2, "as it is, not as the catalogue has it");
}

#[tokio::test]
async fn rows_of_a_tape_and_of_a_lap_are_those_of_the_library() {
    let driven = driven(local());
    let csv = driven.server.get(&at("/export?format=csv&channels=physics/speedKmh,physics/wheelSlip.1")).await;
    assert_eq!(csv.status, 200);
    assert_eq!(csv.headers["content-type"], "text/csv; charset=utf-8");
    assert!(csv.headers["content-disposition"].to_str().unwrap().contains("\"a tape.csv\""));
    let lines: Vec<&str> = csv.text.lines().collect();
    assert_eq!(lines[0], "time_ns,time_s,utc,lap,lap_distance_m,speedKmh,wheelSlip[1]");
    let tape = Tape::open(&driven.path).unwrap();
    assert_eq!(lines.len() as u64 - 1, tape.stream_named("physics").unwrap().totals().frames);
    let lap = &driven.laps()[0];
    let one = driven.server.get(&at(&format!("/export?format=jsonl&channels=physics/gear&lap={}", lap.tape_lap))).await;
    let rows: Vec<Value> = one.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let inside = |row: &Value| (lap.start_ns..lap.end_ns.unwrap()).contains(&row["time_ns"].as_u64().unwrap());
    assert!(rows.len() > 1000 && rows.iter().all(inside), "{}", rows.len());
    assert!(rows.iter().all(|row| row["lap"] == lap.tape_lap), "laps are those of the store");
    assert!(one.headers["content-disposition"].to_str().unwrap().contains(&format!("_lap{:02}.jsonl", lap.tape_lap)));
}

/// Files in memory.
#[derive(Default)]
struct Files(Vec<(Option<u32>, Vec<u8>)>);

impl ExportSink for Files {
    fn split(&self) -> Split {
        Split::Laps
    }

    fn part(&mut self, lap: Option<u32>, _: &[u8]) -> std::io::Result<()> {
        self.0.push((lap, Vec::new()));
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.0.last_mut().unwrap().1.extend_from_slice(bytes);
        Ok(())
    }
}

#[tokio::test]
async fn parquet_of_a_stream_and_of_a_lap_is_that_of_the_library() {
    let driven = driven(local());
    let whole = driven.server.get(&at("/export?format=parquet&stream=physics")).await;
    assert_eq!(whole.status, 200, "{}", whole.text);
    assert_eq!(whole.headers["content-type"], "application/vnd.apache.parquet");
    assert!(whole.headers["content-disposition"].to_str().unwrap().contains("\"a tape.parquet\""));
    assert!(whole.bytes.starts_with(b"PAR1") && whole.bytes.ends_with(b"PAR1"));
    let tape = Tape::open(&driven.path).unwrap();
    let columns = choose(&tape, &["physics/gear".to_owned()]).unwrap();
    let lap = &driven.laps()[0];
    let what = Export { tracked: Some(&driven.tracked), ..Export::all(&tape, "a", &columns) };
    let what = Export { times: lap.start_ns..lap.end_ns.unwrap(), ..what };
    let mut files = Files::default();
    PARQUET.export(&what, &mut files).unwrap();
    let path = at(&format!("/export?format=parquet&channels=physics/gear&lap={}", lap.tape_lap));
    let one = driven.server.get(&path).await;
    let [(Some(number), expected)] = files.0.as_slice() else { panic!("{} files", files.0.len()) };
    assert_eq!((*number, &one.bytes[..]), (lap.tape_lap, &expected[..]));
}

#[tokio::test]
async fn a_motec_log_of_a_lap_is_an_archive_with_its_laps() {
    let driven = driven(local());
    let lap = driven.laps()[0].tape_lap;
    let answer = driven.server.get(&at(&format!("/export?format=motec&channels=physics/gear&lap={lap}"))).await;
    assert_eq!((answer.status.as_u16(), answer.headers["content-type"].to_str().unwrap()), (200, "application/zip"));
    assert!(answer.headers["content-disposition"].to_str().unwrap().contains(&format!("_lap{lap:02}.zip")));
    let members = unzipped(&answer.bytes);
    let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, [format!("a tape_lap{lap:02}.ld"), format!("a tape_lap{lap:02}.ldx")]);
    assert!(members[0].1.starts_with(b"\x40\0\0\0\0\0\0\0") && members[1].1.starts_with(b"<?xml"));
}

/// Reads an archive of stored members by its central directory, with their checksums.
fn unzipped(bytes: &[u8]) -> Vec<(String, Vec<u8>)> {
    let short = |at: usize| usize::from(u16::from_le_bytes(bytes[at..at + 2].try_into().unwrap()));
    let long = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let end = bytes.len() - 22;
    assert_eq!((&bytes[end..end + 4], long(end + 16) + long(end + 12)), (&b"PK\x05\x06"[..], end));
    let (mut at, mut members) = (long(end + 16), Vec::new());
    for _ in 0..short(end + 10) {
        assert_eq!((&bytes[at..at + 4], long(at + 20)), (&b"PK\x01\x02"[..], long(at + 24)));
        let (name_bytes, local) = (short(at + 28), long(at + 42));
        let name = String::from_utf8(bytes[at + 46..at + 46 + name_bytes].to_vec()).unwrap();
        assert_eq!((&bytes[local..local + 4], short(local + 26)), (&b"PK\x03\x04"[..], name_bytes));
        let data = local + 30 + name_bytes;
        let data = bytes[data..data + long(at + 24)].to_vec();
        let mut crc = flate2::Crc::new();
        crc.update(&data);
        assert_eq!(crc.sum() as usize, long(at + 16), "{name}");
        members.push((name, data));
        at += 46 + name_bytes;
    }
    members
}

#[tokio::test]
async fn a_page_of_a_tape_has_the_laps_of_the_store_and_all_it_needs() {
    let driven = driven(local());
    let page = driven.server.get(&at("/export?format=html")).await;
    if !super::super::web::is_embedded() {
        assert_eq!((page.status.as_u16(), page.code().as_str()), (404, "no_report_page"));
        return;
    }
    assert_eq!(page.status, 200, "{}", page.text);
    assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
    // It is a download, not a page: content of a tape never runs under the origin of this server.
    assert!(page.headers["content-disposition"].to_str().unwrap().starts_with("attachment; filename=\"a tape.html\""));
    assert!(page.text.trim_end().ends_with("</html>"), "all of it");
    let data = |text: &str| {
        let (_, rest) = text.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
        serde_json::from_str::<Value>(rest.split_once("</script>").unwrap().0).unwrap()
    };
    let said = data(&page.text);
    assert_eq!(said["file"], "a tape.gtape");
    assert!(!page.text.contains("/tmp"), "no path of this machine");
    let laps = said["sessions"].as_array().unwrap().iter().flat_map(|one| one["laps"].as_array().unwrap());
    let found: Vec<_> = laps.map(|lap| (lap["id"].clone(), lap["time_ms"].clone())).collect();
    let expected: Vec<_> = driven.tracked.laps().map(|lap| (json!(lap.id.to_string()), json!(lap.time_ms))).collect();
    assert_eq!(found, expected);
    assert_eq!(said["lines"]["laps"].as_array().unwrap().len(), driven.tracked.laps().count());
    let names = |said: &Value| {
        let channels = said["lines"]["channels"].as_array().unwrap();
        channels.iter().map(|one| one["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let all = names(&said);
    assert!(["speed_kmh", "x_m", "z_m", "fuel"].iter().all(|name| all.iter().any(|one| one == name)), "{all:?}");
    let some = driven.server.get(&at("/export?format=html&channels=physics/wheelSlip.1")).await;
    let some = names(&data(&some.text));
    assert!(some.iter().any(|name| name == "wheelSlip[1]") && !some.iter().any(|name| name == "fuel"), "{some:?}");
}

#[tokio::test]
async fn tapes_are_for_the_owner_alone() {
    let driven = driven(Access { public: true, ..local() });
    let edit = DriverEdit { name: None, visibility: Some(Visibility::Private) };
    driven.server.store.edit_driver(driven.laps()[0].driver.as_ref().unwrap(), &edit).unwrap();
    let (_, secret) = driven.server.store.add_token("me", Scope::Read).unwrap();
    let bearer = format!("Bearer {secret}");
    for path in [
        at(""),
        at("/overview"),
        at("/file"),
        at("/export?format=csv&channels=physics/gas"),
        at("/export?format=jsonl&channels=physics/gas"),
        "/api/v1/playback".to_owned(),
    ] {
        assert_eq!(driven.server.get(&path).await.status, 401, "{path}");
        let owner = driven.server.send("GET", &path, &[("authorization", &bearer)], "").await;
        assert_eq!(owner.status, 200, "{path}");
    }
    // Read access does not allow playback.
    for (method, path) in
        [("POST", at("/play")), ("PATCH", "/api/v1/playback".into()), ("DELETE", "/api/v1/playback".into())]
    {
        let read_only = [JSON, OWN, ("authorization", bearer.as_str())];
        assert_eq!(driven.server.send(method, &path, &read_only, "{}").await.status, 403, "{method}");
        assert_eq!(driven.server.send(method, &path, &[JSON, OWN], "{}").await.status, 401, "{method}");
    }
    let local = super::channels::driven(local());
    for origin in [None, Some(("origin", "http://evil.example"))] {
        let headers: Vec<_> = [Some(JSON), origin].into_iter().flatten().collect();
        assert_eq!(local.server.send("POST", &at("/play"), &headers, "{}").await.status, 403, "{origin:?}");
    }
}

#[tokio::test]
async fn a_tape_is_played_paused_sought_looped_and_ended_from_a_page() {
    let (driven, prefix) = playing("page");
    let server = &driven.server;
    let ask = async |method: &str, path: &str, body: &str| server.send(method, path, &[JSON, OWN], body).await;
    let now = async || server.get("/api/v1/playback").await.json();
    let packet = || {
        let page = SectionReader::open(&prefix.section("acpmf_physics")).unwrap()?;
        let mut bytes = [0; 4];
        page.copy(0, &mut bytes).ok()?;
        Some(i32::from_le_bytes(bytes))
    };
    assert_eq!(now().await["state"], "idle");
    assert_eq!(ask("PATCH", "/api/v1/playback", r#"{"paused":true}"#).await.code(), "nothing_plays");
    let started =
        ask("POST", &at("/play"), r#"{"from_ns":20000000000,"to_ns":30000000000,"loop":true,"speed":2}"#).await;
    assert_eq!(started.status, 200, "{}", started.text);
    let said = started.json();
    assert_eq!(
        (&said["state"], &said["tape"], &said["loop"], &said["speed"]),
        (&json!("playing"), &json!(id()), &json!(true), &json!(2.0))
    );
    assert!(said["from_ns"].as_u64().unwrap() >= 20_000_000_000 && said["to_ns"].as_u64().unwrap() <= 30_000_000_000);
    let first = wait_for(packet).await;
    wait_for(|| packet().filter(|packet| *packet != first)).await;
    // Only one playback at a time.
    let again = ask("POST", &at("/play"), "{}").await;
    assert_eq!((again.status.as_u16(), again.code().as_str()), (409, "already_playing"));
    let paused = ask("PATCH", "/api/v1/playback", r#"{"paused":true,"position_ns":25000000000}"#).await.json();
    assert_eq!((&paused["state"], &paused["position_ns"]), (&json!("paused"), &json!(25_000_000_000_u64)));
    let near = |position: &Value| (24_900_000_000..25_100_000_000).contains(&position.as_u64().unwrap());
    let mut position = now().await["position_ns"].clone();
    for _ in 0..3_000 {
        if near(&position) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        position = now().await["position_ns"].clone();
    }
    assert!(near(&position), "{position}");
    // Past the end and from the start again, while looping is on.
    ask("PATCH", "/api/v1/playback", r#"{"paused":false,"position_ns":29900000000,"speed":1}"#).await;
    wait_until(async || now().await["position_ns"].as_u64() < Some(25_000_000_000)).await;
    assert_eq!(now().await["state"], "playing");
    ask("PATCH", "/api/v1/playback", r#"{"loop":false,"position_ns":29900000000,"speed":10}"#).await;
    wait_until(async || now().await["state"] == "ended").await;
    assert!(now().await["frames"].as_u64() > Some(10));
    assert_eq!(packet(), None, "the memory is gone");
    for wrong in [
        r#"{"speed":0}"#,
        r#"{"speed":1000}"#,
        r#"{"from_ns":5,"to_ns":5}"#,
        r#"{"from_ns":900000000000000}"#,
        r#"{"x":1}"#,
    ] {
        assert_eq!(ask("POST", &at("/play"), wrong).await.status, 400, "{wrong}");
    }
    assert_eq!(ask("POST", &at("/play"), "{}").await.status, 200);
    assert_eq!(ask("DELETE", "/api/v1/playback", "").await.json()["state"], "idle");
    assert_eq!(packet(), None);
}

#[tokio::test]
async fn a_tape_is_played_from_a_place_as_fast_as_told_and_stands_while_it_is_paused() {
    let (driven, _prefix) = playing("speed");
    let server = &driven.server;
    let ask = async |method: &str, path: &str, body: &str| server.send(method, path, &[JSON, OWN], body).await;
    let position = async || server.get("/api/v1/playback").await.json()["position_ns"].as_u64().unwrap();
    let wish = r#"{"from_ns":20000000000,"to_ns":30000000000,"position_ns":25000000000,"loop":true,"speed":0.1}"#;
    assert_eq!(ask("POST", &at("/play"), wish).await.status, 200);
    wait_until(async || (24_900_000_000..25_500_000_000).contains(&position().await)).await;
    // However slow this machine is, a tenth of the time is not more than half of it.
    let (begun, from) = (std::time::Instant::now(), position().await);
    wait_until(async || begun.elapsed().as_millis() > 500).await;
    let moved = position().await - from;
    assert!(u128::from(moved) < begun.elapsed().as_nanos() / 2, "{moved} ns in {:?}", begun.elapsed());
    ask("PATCH", "/api/v1/playback", r#"{"speed":20}"#).await;
    // Within the ten seconds waited at most, a tenth of the speed advances by one second.
    wait_until(async || position().await > 27_500_000_000).await;
    ask("PATCH", "/api/v1/playback", r#"{"paused":true}"#).await;
    let stands = async || {
        let at = position().await;
        for _ in 0..30 {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
            if position().await != at {
                return false;
            }
        }
        true
    };
    wait_until(stands).await;
    server.state.playback.end();
}

#[tokio::test]
async fn long_answers_have_turns() {
    let driven = driven(local());
    let state = &driven.server.state;
    let free = || (state.exports.available_permits(), state.downloads.available_permits());
    let all = free();
    let exports = state.exports.try_acquire_many(u32::try_from(state.exports.available_permits()).unwrap()).unwrap();
    let busy = driven.server.get(&at("/export?format=csv&channels=physics/gas")).await;
    assert_eq!((busy.status.as_u16(), busy.code().as_str()), (503, "busy"));
    assert_eq!(busy.headers["retry-after"], "5");
    drop(exports);
    assert_eq!(driven.server.get(&at("/export?format=csv&channels=physics/gas")).await.status, 200);
    let downloads =
        state.downloads.try_acquire_many(u32::try_from(state.downloads.available_permits()).unwrap()).unwrap();
    assert_eq!(driven.server.get(&at("/file")).await.code(), "busy");
    drop(downloads);
    assert_eq!(driven.server.get(&at("/file")).await.status, 200);
    // A permit is released with its response.
    wait_until(async || free() == all).await;
}

#[tokio::test]
async fn nothing_is_played_over_a_game_that_runs_and_the_server_takes_its_playback_along() {
    let (driven, prefix) = playing("game");
    let page = gametape::sys::SectionWriter::create(&prefix.section("acpmf_physics"), 800).unwrap();
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let game = std::thread::spawn({
        let stop = Arc::clone(&stop);
        move || {
            let mut packet = 0u32;
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                packet += 1;
                page.write(0, &packet.to_le_bytes()).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            page.remove().unwrap();
        }
    });
    let play = async || driven.server.send("POST", &at("/play"), &[JSON, OWN], "{}").await;
    let refused = play().await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "game_running"), "{}", refused.text);
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    game.join().unwrap();
    let started = play().await;
    assert_eq!(started.status, 200, "{}", started.text);
    let section = prefix.section("acpmf_physics");
    assert!(SectionReader::open(&section).unwrap().is_some());
    driven.server.state.playback.end();
    assert!(SectionReader::open(&section).unwrap().is_none());
}

#[tokio::test]
async fn sessions_are_found_by_words_and_by_tape() {
    let driven = driven(local());
    drive(driven.server.store.as_ref(), 3, "Driver 2", &[90_000]);
    let found = async |query: &str| {
        let answer = driven.server.get(&format!("/api/v1/sessions?{query}")).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["sessions"].as_array().unwrap().len()
    };
    assert_eq!(found("q=spa").await, 1);
    assert_eq!(found("q=DRIVER%202%20spa").await, 1);
    assert_eq!(found("q=corsa%20competizione").await, 2);
    assert_eq!(found("q=no%20such%20thing").await, 0);
    assert_eq!(found(&format!("tape={}", id())).await, driven.tracked.sessions.len());
    assert_eq!(
        (found("min_laps=0").await, found("q=spa&min_laps=1").await, found("q=spa&min_laps=2").await),
        (2, 1, 0)
    );
    for wrong in ["q=", "q=a+b+c+d+e+f+g+h+i", "tape=x", "min_laps=-1", "min_laps=100001"] {
        assert_eq!(driven.server.get(&format!("/api/v1/sessions?{wrong}")).await.status, 400, "{wrong}");
    }
}

/// Waits for another thread.
async fn wait_for<T>(look: impl Fn() -> Option<T>) -> T {
    for _ in 0..500 {
        if let Some(found) = look() {
            return found;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("it did not come");
}

async fn wait_until(look: impl AsyncFn() -> bool) {
    for _ in 0..6_000 {
        if look().await {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("it did not come");
}
