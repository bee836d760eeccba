//! A simulated car that stands in for a game: it drives laps on a drawn track and shows them as Assetto Corsa Competizione does.
//!
//! For trying gametape out without a game, and for tests that need a certain thing to happen at a certain time. Everything below is a pure function of
//! a seed and a script: no clock, no files. Only [`live`] puts the pages into shared memory, by a clock.
//!
//! ```text
//!  track ─▶ driver ─▶ car ─▶ referee ─▶ board ─▶ pages ─▶ samples, or live
//!                └───── game ──────┘      ▲        ▲
//!                                         script ──┘
//! ```
//!
//! - [`Simulation`]: the whole, by steps of a millisecond or as samples at any rate. [`Settings`]: how a session goes. [`Script`]: what happens when.
//! - [`Pages`]: the three pages. [`Board`]: the values of them that laps are made of.
//!
//! The same seed gives the same bytes, on one kind of machine: sines differ in their last bit between systems.
mod bare;
mod board;
mod car;
mod driver;
mod game;
pub mod live;
mod pages;
mod random;
mod samples;
mod script;
mod simulation;
mod track;
mod weather;

pub use board::{Board, NO_TIME_MS, SessionKind, Status};
pub use car::{Car, Engine, Wheel};
pub use game::{Command, Game, Settings, Start};
pub use pages::{AssettoCorsaPages, PLAYER_CAR_ID, Pages, time_text};
pub use samples::Samples;
pub use script::Script;
pub use simulation::{Rates, Simulation, Written};
pub use track::{Corner, HALF_WIDTH_M, Height, PitLane, Place, Track};

#[cfg(test)]
mod tests;
