//! F1 22 to F1 25, in the packet formats 2022 to 2026.
//!
//! The player's car is the simulated one; the others are [`Rivals`]. Packets are sent at the rates of the game: motion, laps, telemetry and status
//! in every frame, the others less often, and the session history of one car after another.
mod packet;
mod scene;
mod write;

use super::player::Player;
use super::rivals::Rivals;
use super::{DatagramEncoder, Datagrams};
use crate::board::{Board, Status};
use crate::game::Game;
use packet::{FrameHeader, Packet};
use scene::Scene;

/// Frames in a second.
const FRAME_HZ: u64 = 60;
/// Index of the player's car.
const PLAYER: usize = 19;
/// Session UIDs count from here.
const FIRST_UID: u64 = 0x6731_0000_0000_0001;

/// Packet types, and how many frames there are from one packet to the next.
const EVERY_FRAMES: [(u8, u64); 12] =
    [(1, 30), (4, 300), (0, 1), (2, 1), (6, 1), (7, 1), (13, 1), (16, 1), (5, 30), (10, 6), (11, 3), (12, 3)];
/// The packet type of events.
const EVENT: u8 = 3;

/// The encoder of one packet format.
#[derive(Debug)]
pub(super) struct F1 {
    format: u16,
    packets: Vec<(u8, u64, Packet)>,
    event: Option<Packet>,
    rivals: Option<Rivals>,
    player: Player,
    session: Option<Session>,
    sessions: u64,
}

/// The session that is sent.
#[derive(Debug, Clone, Copy)]
struct Session {
    uid: u64,
    index: i32,
    laps: i32,
    start_ms: u64,
    frames: u64,
}

impl F1 {
    pub(super) fn new(format: u16) -> Self {
        let packet = |(id, every)| Some((id, every, Packet::new(format, id)?));
        Self {
            format,
            packets: EVERY_FRAMES.into_iter().filter_map(packet).collect(),
            event: Packet::new(format, EVENT),
            rivals: None,
            player: Player::default(),
            session: None,
            sessions: 0,
        }
    }

    /// Number of cars in the packets.
    fn cars(&self) -> usize {
        if self.format < 2026 { 22 } else { 24 }
    }

    fn send_event(&mut self, code: &str, session: &Session, ms: u64, out: &mut Datagrams) {
        if let Some(event) = &mut self.event {
            event.whole().put_text("eventStringCode", code);
            out.push(event.datagram(&header(session, ms)));
        }
    }

    /// Returns the session that the board shows. Ends the one before it.
    fn session(&mut self, ms: u64, board: &Board, out: &mut Datagrams) -> Session {
        let same = |session: &Session| session.index == board.session_index && session.laps <= board.completed_laps;
        if let Some(session) = self.session.filter(same) {
            return session;
        }
        if let Some(ended) = self.session {
            self.send_event("SEND", &ended, ms, out);
        }
        self.player = Player::default();
        let uid = FIRST_UID + self.sessions;
        self.sessions += 1;
        let session = Session { uid, index: board.session_index, laps: 0, start_ms: ms, frames: 0 };
        self.send_event("SSTA", &session, ms, out);
        session
    }
}

fn header(session: &Session, ms: u64) -> FrameHeader {
    FrameHeader {
        session_uid: session.uid,
        session_time_s: ms.saturating_sub(session.start_ms) as f64 / 1000.0,
        frame: session.frames as u32,
        player: PLAYER,
    }
}

impl DatagramEncoder for F1 {
    fn encode(&mut self, ms: u64, game: &Game, out: &mut Datagrams) {
        let board = &game.board;
        // While the game is paused or in its menus, it sends nothing.
        if board.status != Status::Live {
            return;
        }
        let mut session = self.session(ms, board, out);
        self.player.watch(board);
        session.laps = board.completed_laps;
        let due = session.frames == 0 || ms * FRAME_HZ / 1000 > ms.saturating_sub(1) * FRAME_HZ / 1000;
        if due {
            let cars = self.cars();
            let rivals = self.rivals.get_or_insert_with(|| Rivals::new(game.track()));
            let session_ms = ms.saturating_sub(session.start_ms) as f64;
            let scene = Scene::new(self.format, cars, game, &self.player, rivals, session_ms);
            let header = header(&session, ms);
            for (id, every, packet) in &mut self.packets {
                if session.frames.is_multiple_of(*every) {
                    scene.write(*id, session.frames / *every, packet);
                    out.push(packet.datagram(&header));
                }
            }
            session.frames += 1;
        }
        self.session = Some(session);
    }
}

#[cfg(test)]
mod tests;
