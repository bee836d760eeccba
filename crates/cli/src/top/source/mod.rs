//! Where what is shown comes from: a server, or the store of this machine. One thread asks and listens; what it finds lies in the [`Inbox`].
//!
//! ```text
//! Target ──▶ work: which Link ──▶ follow: the live stream ──▶ Inbox
//!  Ask ────▶  └─ answer: one request each ─────────────────▶ Inbox
//! ```
//! The store is asked through the server's own routes, without a socket: there is one kind of answer.

mod answer;
mod follow;
mod inbox;
mod link;
mod local;
mod sse;
mod work;

pub(crate) use inbox::{Answer, Ask, Inbox, News, Status};
pub(crate) use link::{Http, Link};
pub(crate) use work::{Source, Target};
