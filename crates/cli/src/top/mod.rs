//! The terminal UI.
//!
//! ```text
//! server or store ──▶ source (a thread) ──▶ Inbox ──▶ State ──▶ screens: lines ──▶ terminal
//!                        ▲ Ask                         ▲ keys ◀── terminal
//!                        └─────────────────────────────┘└──▶ deck: plays a tape
//! ```
//! `facts` holds sanitized data from a server; `state` holds what is displayed, without any I/O; `screens` renders it to lines
//! with pure functions. `run` is the event loop around them. Data from a server or a file is never trusted: control sequences
//! are removed from texts, lists are bounded.

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
