//! Payloads of real F1 packets against the values that another program has read from them.
//!
//! That program names fields in its own way (`sector-1-time-in-ms`) and replaces some numbers by words. Every value that it lists is found in
//! our tables and compared, or is named here as one that a table does not have.
use crate::support;

use std::collections::HashMap;

use gametape_games::{Channel, Kind, f1};
use serde_json::Value;

/// Names that differ: theirs, without punctuation, and ours.
const RENAMED: &[(&str, &str)] = &[
    ("carindex", "caridx"),
    ("fittedindex", "fittedidx"),
    ("sector1timeinms", "sector1timemspart"),
    ("sector1timeminutes", "sector1timeminutespart"),
    ("sector2timeinms", "sector2timemspart"),
    ("sector2timeminutes", "sector2timeminutespart"),
    ("sector3timeinms", "sector3timemspart"),
    ("sector3timeminutes", "sector3timeminutespart"),
    ("bestlaptimems", "bestlaptimeinms"),
    ("carsetups", "carsetupdata"),
    ("tempunitsleadplayer", "temperatureunitsleadplayer"),
    ("tempunitssecondaryplayer", "temperatureunitssecondaryplayer"),
    ("tyretemperaturemode", "tyretemperature"),
    ("safetycarsetting", "safetycar"),
    ("redflagssetting", "redflags"),
    ("affectslicenselevelsolo", "affectslicencelevelsolo"),
    ("affectslicenselevelmp", "affectslicencelevelmp"),
    ("telemetrysetting", "yourtelemetry"),
    ("mfdpanelindexsecondary", "mfdpanelindexsecondaryplayer"),
    ("rivalsessionbestdataset", "rivaldataset"),
    ("2026regulations", "regulations2026applicable"),
    ("drivingwrongway", "isdrivingwrongway"),
    ("ersharvestedlimitperlap", "ersharvestlimitperlap"),
    ("sector1timems", "sector1timeinms"),
    ("lappositions", "positionforvehicleidx"),
    ("laptimems", "laptimeinms"),
    ("isvalid", "valid"),
    ("zonestart", "start"),
    ("zoneend", "end"),
    ("team", "teamid"),
];

/// Values that the other program derives itself.
const DERIVED: &[&str] = &[
    "-str",
    "ers-max-capacity",
    "lap-data-count",
    "car-setups[].is-valid",
    // Durations that it adds up.
    "delta-to-car-in-front-in-ms",
    "delta-to-race-leader-in-ms",
];

/// Fields that it shows as zeros in formats that do not have them, and the first format that does.
const ADDED: &[(&str, u16)] = &[
    ("ers-harvested-limit-per-lap", 2026),
    ("active-aero", 2026),
    ("drs-zones", 2026),
    ("start-reaction-time", 2026),
    ("anti-lock-brakes-assist", 2026),
    ("traction-control-assist", 2026),
    ("dynamic-racing-line-hi-vis", 2026),
    ("dynamic-racing-line-colour-blind", 2026),
    ("recurring-rewind-prompt", 2026),
    ("chassis-pitch", 2025),
    ("wheel-camber", 2025),
];

/// The fields of a packet by their names in lower case, without punctuation.
struct Packet<'a> {
    format: u16,
    fields: HashMap<String, &'a Channel>,
    payload: &'a [u8],
    header_bytes: usize,
    /// Numbers, texts, words that stand for numbers, and values that no table has.
    compared: usize,
    texts: usize,
    words: usize,
    derived: usize,
}

fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_ascii_alphanumeric() || "[].".contains(*c)).collect::<String>().to_ascii_lowercase()
}

impl Packet<'_> {
    fn number(&self, channel: &Channel, nth: usize) -> f64 {
        let at = channel.offset as usize - self.header_bytes + nth * channel.kind.bytes() as usize;
        let bytes = &self.payload[at..];
        match channel.kind {
            Kind::U8 | Kind::Char => bytes[0].into(),
            Kind::I8 => bytes[0].cast_signed().into(),
            Kind::U16 => u16::from_le_bytes(*bytes.first_chunk().unwrap()).into(),
            Kind::I16 => i16::from_le_bytes(*bytes.first_chunk().unwrap()).into(),
            Kind::U32 => u32::from_le_bytes(*bytes.first_chunk().unwrap()).into(),
            Kind::F32 => f32::from_le_bytes(*bytes.first_chunk().unwrap()).into(),
            Kind::F64 => f64::from_le_bytes(*bytes.first_chunk().unwrap()),
            kind => panic!("{kind:?}"),
        }
    }

    /// Compares a value and everything in it. `path` is theirs; `key` is that of our table.
    fn compare(&mut self, path: &str, key: &str, value: &Value) {
        match value {
            Value::Object(object) => {
                for (name, value) in object {
                    let short = plain(name);
                    let renamed = RENAMED.iter().find(|(theirs, _)| *theirs == short).map_or(&*short, |(_, ours)| ours);
                    let path = format!("{path}.{name}");
                    // `world-position: { x, y, z }` is three fields; so are g-forces. Angles have no common name.
                    let axis = matches!(short.as_str(), "x" | "y" | "z" | "lateral" | "longitudinal" | "vertical");
                    let joined = match key {
                        "" => renamed.to_owned(),
                        _ if axis => format!("{key}{renamed}"),
                        _ => format!("{}.{renamed}", key.trim_end_matches(".orientation")),
                    };
                    let original = joined.rsplit_once(renamed).map(|(before, _)| format!("{before}{short}"));
                    let known = |key: &str| self.fields.keys().any(|field| field.starts_with(key));
                    let key = if known(&joined) { joined } else { original.filter(|key| known(key)).unwrap_or(joined) };
                    self.compare(&path, &key, value);
                }
            }
            Value::Array(values) => {
                for (nth, value) in values.iter().enumerate() {
                    let path = format!("{path}[]");
                    match self.fields.get(key).copied() {
                        Some(channel) if !value.is_object() => self.compare_elements(&path, channel, nth, value),
                        _ => self.compare(&path, &format!("{key}[{nth}]"), value),
                    }
                }
            }
            _ => match self.fields.get(key).copied() {
                Some(channel) => self.compare_one(path, channel, 0, value),
                None => {
                    let added = ADDED.iter().any(|(part, since)| path.contains(part) && self.format < *since);
                    let derived = added || DERIVED.iter().any(|part| path.contains(part));
                    assert!(derived, "{path} ({key}) is not in the table");
                    self.derived += 1;
                }
            },
        }
    }

    /// One element of an array, or all positions of a lap.
    fn compare_elements(&mut self, path: &str, channel: &Channel, nth: usize, value: &Value) {
        match value.as_array() {
            Some(row) => {
                for (index, value) in row.iter().enumerate() {
                    self.compare_one(path, channel, nth * row.len() + index, value);
                }
            }
            None => self.compare_one(path, channel, nth, value),
        }
    }

    fn compare_one(&mut self, path: &str, channel: &Channel, nth: usize, value: &Value) {
        let ours = self.number(channel, nth);
        match value {
            Value::Bool(theirs) => assert_eq!(ours != 0.0, *theirs, "{path} {}", channel.name),
            Value::Number(theirs) => {
                let factor = if channel.unit == "g/1000" { 0.001 } else { 1.0 };
                // It shows an index that is 255, which means "none", as -1.
                let theirs = theirs
                    .as_f64()
                    .filter(|theirs| *theirs >= 0.0 || !channel.name.ends_with("CarIdx"))
                    .unwrap_or(255.0);
                assert!((ours * factor - theirs).abs() < 1e-9, "{path} {}: {ours}, {theirs}", channel.name);
            }
            Value::String(theirs) if channel.kind == Kind::Char => {
                let at = channel.offset as usize - self.header_bytes;
                let bytes = &self.payload[at..at + channel.count as usize];
                assert_eq!(gametape_games::char_text(bytes), *theirs, "{path}");
                self.texts += 1;
                return;
            }
            // Numbers that it shows as text.
            Value::String(theirs) if theirs.parse::<f64>().is_ok() => assert_eq!(ours, theirs.parse::<f64>().unwrap()),
            Value::String(theirs) => {
                self.compare_word(path, ours, theirs);
                self.words += 1;
                return;
            }
            other => panic!("{path}: {other}"),
        }
        self.compared += 1;
    }

    /// Words that we have, too.
    fn compare_word(&self, path: &str, ours: f64, theirs: &str) {
        let same = |ours: Option<&str>| {
            if theirs.eq_ignore_ascii_case("unknown") {
                return assert_eq!(ours, None, "{path}");
            }
            let (ours, theirs) = (plain(ours.unwrap_or_default()), plain(theirs));
            assert!(theirs.starts_with(&ours) && !ours.is_empty(), "{path}: {ours}, {theirs}");
        };
        match path.rsplit_once('.').map_or(path, |(_, name)| name) {
            "track-id" => same(f1::track_name(ours as i8).map(|(name, _)| name)),
            "session-type" => same(f1::session_name(self.format, None, ours as u8)),
            "visual-tyre-compound" | "tyre-visual-compound" => same(f1::tyre_name(ours as u8)),
            // It has its own name for the team of 2024.
            "team-id" | "team" if theirs != "VCARB" => {
                same(
                    f1::team_name(self.format, ours as u16)
                        .map(|name| if name == "My Team" { "MY_TEAM" } else { name }),
                );
            }
            _ => {}
        }
    }
}

#[test]
fn values_of_real_f1_payloads_are_those_of_another_reader() {
    let Some(data) = support::real_data("values_of_real_f1_payloads_are_those_of_another_reader") else { return };
    let mut total = [0; 4];
    let mut files = 0;
    for entry in std::fs::read_dir(data.join("f1-udp/vectors")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        // Events are a union: see `real_events_have_their_fields`.
        let Some(case) = name.strip_suffix(".expected.json").filter(|name| !name.contains("event")) else { continue };
        let payload = std::fs::read(path.with_file_name(format!("{case}.payload.bin"))).unwrap();
        let id: u8 = name.split('_').nth(1).unwrap().parse().unwrap();
        let year = case.split("test_f1_").nth(1).unwrap();
        let format = 2000 + year.get(..2).unwrap().parse::<u16>().unwrap();
        let layout = f1::packet_layout(format, id).unwrap();
        assert_eq!(payload.len() + 29, layout.frame_bytes() as usize, "{case}");
        let expected: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let fields = layout.channels().iter().map(|channel| (plain(&channel.name), channel)).collect();
        let mut packet =
            Packet { format, fields, payload: &payload, header_bytes: 29, compared: 0, texts: 0, words: 0, derived: 0 };
        packet.compare("", "", &expected);
        assert!(packet.compared > 2, "{case}: {} numbers", packet.compared);
        let counts = [packet.compared, packet.texts, packet.words, packet.derived];
        println!("{case}: {counts:?}");
        total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
        files += 1;
    }
    assert_eq!(files, 35);
    assert_eq!(total, [9652, 77, 1392, 704], "numbers, texts, words, derived values");
}
