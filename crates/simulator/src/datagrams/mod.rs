//! The simulated car as games on the network send it: one encoder for each game, in a file of its own.
//!
//! A [`DatagramEncoder`] is called for every millisecond of the simulation and adds the datagrams that the game would send then, at the game's own
//! rates. What the simulation does not have (other cars, weather forecasts) the encoder makes up, as a pure function of time.
mod assetto_corsa_competizione;
mod assetto_corsa_remote;
mod automobilista_2;
mod gran_turismo;
pub(crate) mod project_cars;
pub(crate) mod put;

mod dirt_rally;
mod ea_wrc;
mod f1;
mod forza;
mod packed;
mod player;
mod rivals;

use crate::game::Game;
use dirt_rally::DirtEncoder;
use ea_wrc::WrcEncoder;
use forza::ForzaEncoder;
pub(crate) use player::Player;
pub(crate) use rivals::{Rival, Rivals};

/// Encodes the simulated car as the datagrams of a game.
pub trait DatagramEncoder: Send {
    /// Adds the datagrams that are due in this millisecond since the start.
    fn encode(&mut self, ms: u64, game: &Game, out: &mut Datagrams);
}

/// Datagrams, in the order in which they are sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Datagrams {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Datagrams {
    /// Adds a datagram.
    pub fn push(&mut self, datagram: &[u8]) {
        self.bytes.extend_from_slice(datagram);
        self.ends.push(self.bytes.len());
    }

    /// Returns the datagrams.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).filter_map(|(start, end)| self.bytes.get(start..*end))
    }

    /// Removes all datagrams. Keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }
}

/// Returns the encoder of a game; `None` if there is none.
#[must_use]
pub fn datagram_encoder(game_id: &str) -> Option<Box<dyn DatagramEncoder>> {
    let (_, new) = ENCODERS.iter().find(|(id, _)| *id == game_id)?;
    Some(new())
}

/// Creates an encoder.
type New = fn() -> Box<dyn DatagramEncoder>;

/// All encoders, by the id of their game.
const ENCODERS: &[(&str, New)] = &[
    ("dirt-rally", || Box::new(DirtEncoder::default())),
    ("ea-wrc", || Box::new(WrcEncoder::default())),
    ("forza-horizon", || Box::new(ForzaEncoder::of("forza-horizon"))),
    ("forza-motorsport", || Box::new(ForzaEncoder::of("forza-motorsport"))),
    ("f1-22", || Box::new(f1::F1::new(2022))),
    ("f1-23", || Box::new(f1::F1::new(2023))),
    ("f1-24", || Box::new(f1::F1::new(2024))),
    ("f1-25", || Box::new(f1::F1::new(2025))),
    ("f1-26", || Box::new(f1::F1::new(2026))),
    ("assetto-corsa-competizione", || Box::<assetto_corsa_competizione::Broadcasting>::default()),
    ("assetto-corsa-remote", || Box::<assetto_corsa_remote::AssettoCorsaRemote>::default()),
    ("automobilista-2", || Box::<automobilista_2::Automobilista2>::default()),
    ("gran-turismo-7", || Box::new(gran_turismo::GranTurismo::gt7())),
    ("gran-turismo-sport", || Box::new(gran_turismo::GranTurismo::gt_sport())),
    ("project-cars", || Box::<project_cars::ProjectCars>::default()),
];
