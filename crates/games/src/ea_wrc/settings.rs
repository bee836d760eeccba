//! The user's settings of the game: `config.json`, and the structures that it names.
//!
//! ```text
//! telemetry/config.json                 which packet of which structure is sent where, and whether it is enabled
//! telemetry/udp/STRUCTURE.json          the user's structures
//! telemetry/readme/udp/STRUCTURE.json   those that the game comes with
//! ```
use super::channels::default_layout;
use super::rules::LONGEST_STAGE_M;
use super::structure::{layout_of_structure, text_of};
use super::values::{number, uid};
use super::{SESSION_END, SESSION_PAUSE, SESSION_RESUME, SESSION_START, SESSION_UPDATE};
use crate::capture::SeenFrame;
use crate::echo_vr::{Fields, Items};
use crate::layout::{Kind, Layout};
use crate::user_settings::{ReadFile, SettingsFiles, SettingsProblem, UserPacket, UserSettings, kept};

const CONFIG: &str = "config.json";
/// The structure that the game comes with. It is known here, so its file is optional.
const DEFAULT_STRUCTURE: &str = "wrc";
/// More packets than that are not settings of a game.
const MOST_PACKETS: usize = 64;
/// A counter of packets stays far below. Headers of other games, read as a number, do not.
const HIGHEST_UID: u64 = 1 << 40;
/// How many distinctive values a packet without a 4CC must have.
const LEAST_EVIDENCE: usize = 3;

/// Packet id, 4CC, stream.
const PACKETS: [(&str, &[u8; 4], &str); 5] = [
    ("session_start", b"SESS", SESSION_START.name),
    ("session_update", b"SESU", SESSION_UPDATE.name),
    ("session_pause", b"SESP", SESSION_PAUSE.name),
    ("session_resume", b"SESR", SESSION_RESUME.name),
    ("session_end", b"SESE", SESSION_END.name),
];

#[derive(Debug)]
pub(super) struct WrcSettings;

impl SettingsFiles for WrcSettings {
    fn folder(&self) -> &'static str {
        "My Games/WRC/telemetry"
    }

    fn steam_app(&self) -> u32 {
        1_849_250
    }

    fn read(&self, file: ReadFile<'_>) -> UserSettings {
        let mut reading = Reading { file, structures: Vec::new(), settings: UserSettings::default() };
        reading.config();
        let used = reading.structures.iter().filter(|structure| structure.is_used);
        let texts: Vec<&str> = used.filter_map(|structure| structure.text.as_deref()).collect();
        if !texts.is_empty() {
            reading.settings.description = format!("{{\"structures\":[{}]}}", texts.join(","));
        }
        reading.settings
    }
}

/// A structure that was looked up.
struct Structure {
    id: String,
    path: String,
    /// `None` if there is no file.
    text: Option<String>,
    /// Whether a packet has its layout from here.
    is_used: bool,
}

struct Reading<'a> {
    file: ReadFile<'a>,
    structures: Vec<Structure>,
    settings: UserSettings,
}

impl Reading<'_> {
    fn problem(&mut self, file: &str, what: impl ToString) {
        self.settings.problems.push(SettingsProblem { file: file.into(), what: what.to_string() });
    }

    fn config(&mut self) {
        let text = match (self.file)(CONFIG) {
            Ok(None) => return,
            Ok(Some(text)) => text,
            Err(why) => {
                self.settings.found = true;
                return self.problem(CONFIG, why);
            }
        };
        self.settings.found = true;
        let text = text.trim_start_matches('\u{feff}').as_bytes();
        let Some(packets) = Fields::find(text, "udp").and_then(|udp| Fields::find(udp, "packets")) else {
            return self.problem(CONFIG, "not the settings of EA SPORTS WRC: it has no list udp.packets");
        };
        let packets: Vec<&[u8]> = Items::of(packets).take(MOST_PACKETS + 1).collect();
        if packets.len() > MOST_PACKETS {
            return self.problem(CONFIG, format!("more than {MOST_PACKETS} packets"));
        }
        for packet in packets {
            self.packet(packet);
        }
    }

    /// Reads an entry of the list of packets.
    fn packet(&mut self, entry: &[u8]) {
        let text = |key| text_of(entry, key).unwrap_or_default();
        let (structure, packet) = (text("structure"), text("packet"));
        let Some((packet, _, stream)) = PACKETS.into_iter().find(|(id, ..)| *id == packet) else {
            return self.problem(CONFIG, format!("unknown packet {packet:?}"));
        };
        let number = Fields::find(entry, "port").and_then(|port| std::str::from_utf8(port).ok()?.parse().ok());
        let mut packet = UserPacket {
            name: format!("{packet} of {structure}"),
            stream,
            to: text("ip"),
            port: number,
            enabled: Fields::find(entry, "bEnabled") == Some(b"true"),
            layout: None,
            is_it: is_packet,
        };
        if packet.enabled {
            packet.layout = self.layout(&structure, stream);
        }
        self.settings.packets.push(packet);
    }

    /// Returns the layout of a packet in a structure. If there is none, adds the problem.
    fn layout(&mut self, structure: &str, stream: &'static str) -> Option<&'static Layout> {
        let at = self.structure(structure)?;
        let Structure { path, text, .. } = self.structures.get(at)?;
        let (packet, ..) = PACKETS.into_iter().find(|(_, _, of)| *of == stream)?;
        let found = match text {
            Some(text) => layout_of_structure(text, packet).map_err(|error| error.to_string()),
            // Only the structure of the game itself may have no file.
            None if structure == DEFAULT_STRUCTURE && stream == SESSION_UPDATE.name => {
                default_layout().ok_or_else(|| "no default structure".into())
            }
            None => return None,
        };
        let path = path.clone();
        let layout = match found {
            Ok(layout) => layout,
            Err(why) => {
                self.problem(&path, why);
                return None;
            }
        };
        let known = self.settings.layout_of(stream, layout.frame_bytes() as usize);
        if known.is_some_and(|known| *known != layout) {
            let bytes = layout.frame_bytes();
            self.problem(
                &path,
                format!("another enabled structure has a {packet} of {bytes} bytes, too: they cannot be told apart"),
            );
            return None;
        }
        if layout.channel("packet_4cc").is_none() && evidence(&layout) < LEAST_EVIDENCE {
            let what = format!(
                "{packet} cannot be told from datagrams of other games: add packet_4cc to the header of the structure"
            );
            self.problem(&path, what);
            return None;
        }
        let layout = kept(layout);
        match (layout, self.structures.get_mut(at)) {
            (Some(_), Some(structure)) => structure.is_used = true,
            _ => self.problem(&path, "too many different structures; restart gametape"),
        }
        layout
    }

    /// Returns the index of a structure, which is read when it is first needed.
    fn structure(&mut self, id: &str) -> Option<usize> {
        if let Some(at) = self.structures.iter().position(|known| known.id == id) {
            return Some(at);
        }
        // It becomes the name of a file, and must not lead out of the folder.
        let is_name = |c: char| c.is_alphanumeric() || "_-. ".contains(c);
        if id.is_empty() || id.len() > 100 || id.starts_with('.') || !id.chars().all(is_name) {
            self.problem(CONFIG, format!("the structure {id:?} cannot be the name of a file"));
            return None;
        }
        let (mut text, mut path) = (None, format!("udp/{id}.json"));
        for place in [format!("udp/{id}.json"), format!("readme/udp/{id}.json")] {
            match (self.file)(&place) {
                Ok(None) => continue,
                Ok(Some(found)) => text = Some(found.trim_start_matches('\u{feff}').to_owned()),
                Err(why) => self.problem(&place, why),
            }
            path = place;
            break;
        }
        let is_reported = self.settings.problems.iter().any(|problem| problem.file == path);
        if text.is_none() && id != DEFAULT_STRUCTURE && !is_reported {
            self.problem(&path, "there is no such file, but config.json names it");
        }
        self.structures.push(Structure { id: id.into(), path, text, is_used: false });
        Some(self.structures.len() - 1)
    }
}

/// Returns whether a datagram is certainly a packet of this stream and layout.
pub(super) fn is_packet(stream: &str, layout: &Layout, datagram: &[u8]) -> bool {
    if datagram.len() != layout.frame_bytes() as usize {
        return false;
    }
    let frame = SeenFrame { stream, layout, bytes: datagram };
    match layout.channel("packet_4cc") {
        Some(channel) => {
            let at = channel.offset as usize;
            let found = datagram.get(at..at + 4);
            PACKETS.iter().any(|(_, fourcc, of)| *of == stream && found == Some(&fourcc[..]))
        }
        None => evidence(layout) >= LEAST_EVIDENCE && is_plausible(frame),
    }
}

/// Counts the values by which packets without a 4CC are told from those of other games.
fn evidence(layout: &Layout) -> usize {
    let has = |name: &str| layout.channel(name).is_some();
    let axes = DIRECTIONS.iter().filter(|names| names.iter().all(|name| has(name))).count();
    axes + usize::from(has("stage_length")) + usize::from(has("packet_uid"))
}

const DIRECTIONS: [[&str; 3]; 3] = [
    ["vehicle_left_direction_x", "vehicle_left_direction_y", "vehicle_left_direction_z"],
    ["vehicle_forward_direction_x", "vehicle_forward_direction_y", "vehicle_forward_direction_z"],
    ["vehicle_up_direction_x", "vehicle_up_direction_y", "vehicle_up_direction_z"],
];

/// Returns whether all values are possible.
fn is_plausible(frame: SeenFrame<'_>) -> bool {
    let within = |name: &str, from: f64, to: f64| {
        frame.layout.channel(name).is_none() || number(frame, name).is_some_and(|value| (from..=to).contains(&value))
    };
    let are_units = DIRECTIONS.iter().all(|names| {
        let axes = names.map(|name| number(frame, name));
        match axes {
            [Some(x), Some(y), Some(z)] => (x * x + y * y + z * z - 1.0).abs() < 0.02,
            // The structure does not have them.
            _ => names.iter().any(|name| frame.layout.channel(name).is_none()),
        }
    });
    let has_length = frame.layout.channel("stage_length").is_none()
        || number(frame, "stage_length").is_some_and(|metres| metres > 0.0 && metres < LONGEST_STAGE_M);
    let is_value = |channel: &crate::layout::Channel| match channel.kind {
        Kind::Bool => within(&channel.name, 0.0, 1.0),
        Kind::F32 | Kind::F64 => number(frame, &channel.name).is_some(),
        _ => true,
    };
    let pedals = ["vehicle_throttle", "vehicle_brake", "vehicle_clutch", "vehicle_handbrake"];
    are_units
        && has_length
        && uid(frame).is_none_or(|count| count < HIGHEST_UID)
        && pedals.iter().all(|pedal| within(pedal, -0.01, 1.01))
        && within("vehicle_steering", -1.01, 1.01)
        && within("vehicle_engine_rpm_current", 0.0, 100_000.0)
        && frame.layout.channels().iter().all(is_value)
}
