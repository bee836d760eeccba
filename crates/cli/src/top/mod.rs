//! The terminal UI.
//!
//! ```text
//! server or store ──▶ source (a thread) ──▶ Inbox ──▶ State ──▶ screens: lines ──▶ terminal
//!                        ▲ Ask                         ▲ keys ◀── terminal
//!                        └─────────────────────────────┘└──▶ deck: plays a tape
//! ```
//! `facts` are what a server says, cleaned; `state` is what is shown, without any I/O; `screens` make lines of it, which are pure functions too. `run` is
//! the loop around them. What comes from a server or a file is never trusted: texts lose what could steer a terminal, lists are bounded.

mod bars;
mod deck;
mod facts;
mod fault;
mod finding;
mod keys;
mod look;
mod mouse;
mod run;
mod screens;
mod source;
mod state;
mod terminal;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use run::{Options, run};
pub(crate) use source::{Http, Target};
