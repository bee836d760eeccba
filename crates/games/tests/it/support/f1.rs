//! Builds F1 packets by the names of their fields.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic)]
use gametape_games::{Game, Kind, Layout, SeenFrame, f1, find_game};

pub const UID: u64 = 0x1234_5678_9ABC_DEF0;
/// Index of the player's car.
pub const PLAYER: u8 = 19;

/// The game of a packet format.
pub fn game(format: u16) -> &'static Game {
    find_game(&f1::game_id(format).unwrap()).unwrap()
}

/// A packet.
#[derive(Clone)]
pub struct Packet {
    pub stream: &'static str,
    pub layout: &'static Layout,
    pub bytes: Vec<u8>,
}

impl Packet {
    /// A packet of the player's session that is all zero but for its header.
    pub fn new(format: u16, id: u8) -> Self {
        let layout = f1::packet_layout(format, id).unwrap();
        let bytes = vec![0; layout.frame_bytes() as usize];
        let packet = Self { stream: f1::packet_name(id).unwrap(), layout, bytes };
        let packet = packet.set("packetFormat", format.into()).set("packetId", id.into());
        let packet = if format > 2022 { packet.set("gameYear", (format % 100).min(25).into()) } else { packet };
        packet.set("gameMajorVersion", 1.0).set("gameMinorVersion", 7.0).set("playerCarIndex", PLAYER.into()).uid(UID)
    }

    pub fn uid(mut self, uid: u64) -> Self {
        let at = self.layout.channel("sessionUID").unwrap().offset as usize;
        self.bytes[at..at + 8].copy_from_slice(&uid.to_le_bytes());
        self
    }

    /// Sets a field of the packet.
    #[track_caller]
    pub fn set(self, name: &str, value: f64) -> Self {
        self.set_nth(name, 0, value)
    }

    /// Sets a field that not every format has.
    pub fn set_if(self, name: &str, value: f64) -> Self {
        if self.layout.channel(name).is_some() { self.set(name, value) } else { self }
    }

    /// Sets a field of one car.
    #[track_caller]
    pub fn car(self, group: &str, car: u8, name: &str, value: f64) -> Self {
        self.set(&format!("{group}[{car}].{name}"), value)
    }

    #[track_caller]
    pub fn set_nth(mut self, name: &str, nth: usize, value: f64) -> Self {
        let channel = self.layout.channel(name).unwrap_or_else(|| panic!("{} has no {name}", self.layout.id()));
        let at = channel.offset as usize + nth * channel.kind.bytes() as usize;
        let value: Vec<u8> = match channel.kind {
            Kind::U8 => vec![value as u8],
            Kind::I8 => (value as i8).to_le_bytes().into(),
            Kind::U16 => (value as u16).to_le_bytes().into(),
            Kind::I16 => (value as i16).to_le_bytes().into(),
            Kind::U32 => (value as u32).to_le_bytes().into(),
            Kind::F32 => (value as f32).to_le_bytes().into(),
            kind => panic!("{kind:?}"),
        };
        self.bytes[at..at + value.len()].copy_from_slice(&value);
        self
    }

    pub fn text(mut self, name: &str, text: &str) -> Self {
        let at = self.layout.channel(name).unwrap().offset as usize;
        self.bytes[at..at + text.len()].copy_from_slice(text.as_bytes());
        self
    }

    pub fn seen(&self) -> SeenFrame<'_> {
        SeenFrame { stream: self.stream, layout: self.layout, bytes: &self.bytes }
    }
}

/// An event without details.
pub fn event(format: u16, code: &str) -> Packet {
    Packet::new(format, 3).text("eventStringCode", code)
}

/// A real or made up datagram as the recorder would pass it on; `None` if no game of F1 knows it.
pub fn frame(datagram: &[u8]) -> Option<Packet> {
    let (format, id) = f1::format_and_packet_id(datagram)?;
    let layout = f1::packet_layout(format, id).filter(|layout| layout.frame_bytes() as usize == datagram.len())?;
    Some(Packet { stream: f1::packet_name(id)?, layout, bytes: datagram.to_vec() })
}
