//! A packet that is filled by the names of its fields, in any format.
use std::collections::HashMap;

use gametape_games::{Channel, Kind, Layout, f1};

/// A packet of one type in one format.
#[derive(Debug)]
pub(super) struct Packet {
    bytes: Vec<u8>,
    /// Fields of repeated structs, by the name of the struct; the others under the empty name.
    groups: HashMap<String, Group>,
}

#[derive(Debug, Default)]
struct Group {
    fields: HashMap<String, Place>,
    /// Fields of durations, by the common part of their names: milliseconds, and minutes in the formats that have separate fields.
    durations: HashMap<String, [Option<Place>; 2]>,
}

#[derive(Debug, Clone, Copy)]
struct Place {
    at: usize,
    /// Bytes from one element of a repeated struct to the next.
    step: usize,
    kind: Kind,
    count: usize,
}

/// The header of all packets of a frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct FrameHeader {
    pub(super) session_uid: u64,
    pub(super) session_time_s: f64,
    pub(super) frame: u32,
    pub(super) player: usize,
}

/// Ends of the names of durations, and which part they are.
const DURATIONS: [(&str, usize); 4] = [("MSPart", 0), ("InMS", 0), ("MinutesPart", 1), ("Minutes", 1)];

impl Packet {
    /// Creates a packet of zeros with a header; `None` if the format has none of this type.
    pub(super) fn new(format: u16, packet_id: u8) -> Option<Self> {
        let layout = f1::packet_layout(format, packet_id)?;
        let mut groups: HashMap<String, Group> = HashMap::new();
        for channel in layout.channels() {
            let (group, name) = channel.name.split_once("[0].").unwrap_or(("", &channel.name));
            let place = place(layout, channel);
            let group = groups.entry(group.to_owned()).or_default();
            group.fields.insert(name.to_owned(), place);
            for (end, part) in DURATIONS {
                if let Some(base) = name.strip_suffix(end) {
                    group.durations.entry(base.to_owned()).or_default()[part] = Some(place);
                }
            }
        }
        let mut packet = Self { bytes: vec![0; layout.frame_bytes() as usize], groups };
        let mut header = packet.whole();
        header.put("packetFormat", format.into());
        header.put("gameYear", f64::from((format % 100).min(25)));
        header.put("gameMajorVersion", 1.0);
        header.put("gameMinorVersion", 20.0);
        header.put("packetVersion", 1.0);
        header.put("packetId", packet_id.into());
        header.put("secondaryPlayerCarIndex", 255.0);
        Some(packet)
    }

    /// Writes the header and returns the datagram.
    pub(super) fn datagram(&mut self, header: &FrameHeader) -> &[u8] {
        let mut whole = self.whole();
        whole.put_bytes("sessionUID", &header.session_uid.to_le_bytes());
        whole.put("sessionTime", header.session_time_s);
        whole.put("frameIdentifier", header.frame.into());
        whole.put("overallFrameIdentifier", header.frame.into());
        whole.put("playerCarIndex", header.player as f64);
        &self.bytes
    }

    /// Fields that are not repeated.
    pub(super) fn whole(&mut self) -> Element<'_> {
        self.element("", 0)
    }

    /// One element of a repeated struct.
    pub(super) fn element(&mut self, group: &str, index: usize) -> Element<'_> {
        Element { bytes: &mut self.bytes, group: self.groups.get(group), index }
    }
}

fn place(layout: &Layout, channel: &Channel) -> Place {
    let at = channel.offset as usize;
    let next = layout.channel(&channel.name.replacen("[0]", "[1]", 1));
    let step = next.map_or(0, |next| next.offset as usize - at);
    Place { at, step, kind: channel.kind, count: channel.count as usize }
}

/// A part of a packet. Fields that the format does not have are skipped.
pub(super) struct Element<'a> {
    bytes: &'a mut [u8],
    group: Option<&'a Group>,
    index: usize,
}

impl Element<'_> {
    /// Writes a number.
    pub(super) fn put(&mut self, name: &str, value: f64) {
        self.put_all(name, [value]);
    }

    /// Writes an array.
    pub(super) fn put_all(&mut self, name: &str, values: impl IntoIterator<Item = f64>) {
        if let Some(place) = self.place(name) {
            let values = values.into_iter().take(place.count).enumerate();
            values.for_each(|(nth, value)| self.put_number(place, nth, value));
        }
    }

    /// Writes a duration, by the common part of the names of its fields.
    pub(super) fn put_duration(&mut self, name: &str, ms: u32) {
        let Some([rest, minutes]) = self.group.and_then(|group| group.durations.get(name)).copied() else { return };
        let (rest_ms, count) = if minutes.is_some() { (ms % 60_000, ms / 60_000) } else { (ms.min(65_535), 0) };
        for (place, value) in [(rest, rest_ms), (minutes, count)] {
            if let Some(place) = place {
                self.put_number(place, 0, value.into());
            }
        }
    }

    /// Writes a text.
    pub(super) fn put_text(&mut self, name: &str, text: &str) {
        let room = self.place(name).map_or(0, |place| place.count);
        self.put_bytes(name, text.as_bytes().get(..room).unwrap_or(text.as_bytes()));
    }

    fn put_bytes(&mut self, name: &str, bytes: &[u8]) {
        if let Some(place) = self.place(name) {
            self.write(place.at + self.index * place.step, bytes);
        }
    }

    fn place(&self, name: &str) -> Option<Place> {
        self.group?.fields.get(name).copied()
    }

    fn put_number(&mut self, place: Place, nth: usize, value: f64) {
        let at = place.at + self.index * place.step + nth * place.kind.bytes() as usize;
        match place.kind {
            Kind::U8 => self.write(at, &(value as u8).to_le_bytes()),
            Kind::I8 => self.write(at, &(value as i8).to_le_bytes()),
            Kind::U16 => self.write(at, &(value as u16).to_le_bytes()),
            Kind::I16 => self.write(at, &(value as i16).to_le_bytes()),
            Kind::U32 => self.write(at, &(value as u32).to_le_bytes()),
            Kind::F32 => self.write(at, &(value as f32).to_le_bytes()),
            Kind::F64 => self.write(at, &value.to_le_bytes()),
            _ => {}
        }
    }

    fn write(&mut self, at: usize, bytes: &[u8]) {
        if let Some(room) = self.bytes.get_mut(at..at + bytes.len()) {
            room.copy_from_slice(bytes);
        }
    }
}
