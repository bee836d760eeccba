//! The data source of the UI: a server, or the store of this machine. One thread sends requests and follows the live stream;
//! results go to the [`Inbox`].
//!
//! ```text
//! Target ──▶ work: which Link ──▶ follow: the live stream ──▶ Inbox
//!  Ask ────▶  └─ answer: one request each ─────────────────▶ Inbox
//! ```
//! The store is accessed through the server's own routes, without a socket, so there is only one response format.

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
