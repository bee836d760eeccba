//! A simulated car that stands in for a game: it drives laps on a drawn track and writes the pages of Assetto Corsa Competizione.
//!
//! `gametape demo` records it; tests and benchmarks use it where something has to happen at a known time. This crate is internal to gametape: it is
//! published only because the program needs it, and its API may change in any release.
//!
//! The simulation is a pure function of a seed and a script: no clock, no files, no I/O. [`live`] runs it by a clock and reaches shared memory only
//! through the trait [`live::Machine`], which the programs implement. The crate knows `gametape-games` and nothing else of the workspace.
//!
//! ```text
//!  track ─▶ driver ─▶ car ─▶ referee ─▶ board ─▶ pages ─▶ samples, or live
//!                └───── game ──────┘      ▲        ▲
//!                                         script ──┘
//! ```
//!
//! - [`Simulation`] is the entry point: it runs in steps of a millisecond, or as an iterator of samples at any rate. [`Settings`] configure the session,
//!   [`Script`] schedules events.
//! - [`datagram_encoder`] and [`page_encoder`] give the encoders of other games, on the network and with one page of shared memory.
//! - [`Race`] is apart from all this: many cars, as Le Mans Ultimate and rFactor 2 write them.
//! - [`Pages`] are the three pages in the game's layouts. [`Board`] holds the values that lap timing depends on.
//!
//! The same seed gives the same bytes on the same kind of machine; between systems, `sin` and `cos` differ in the last bit.
#![forbid(unsafe_code)]

mod bare;
mod board;
mod car;
mod datagrams;
mod driver;
mod game;
mod game_pages;
pub mod live;
mod pages;
mod race;
mod random;
mod samples;
mod script;
mod simulation;
mod track;
mod weather;

pub use board::{Board, NO_TIME_MS, SessionKind, Status};
pub use car::{Car, Engine, Wheel};
pub use datagrams::{DatagramEncoder, Datagrams, datagram_encoder};
pub use game::{Command, Game, Settings, Start};
pub use game_pages::{PageEncoder, page_encoder};
pub use pages::{AssettoCorsaPages, PLAYER_CAR_ID, Pages, time_text};
pub use race::{RFactor2Pages, Race, RaceSettings, STEP_MS};
pub use samples::Samples;
pub use script::Script;
pub use simulation::{Rates, Simulation, Written};
pub use track::{Corner, HALF_WIDTH_M, Height, PitLane, Track, TrackPoint};

#[cfg(test)]
mod tests;
