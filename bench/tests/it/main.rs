//! Each benchmark as a user runs it, but short.

mod echo;
mod laps;
mod live;
mod live_ui;
mod lmu;
mod udp;
