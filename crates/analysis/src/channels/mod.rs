//! Channels of tapes by the names that users write, and the columns that tables make of them.
//!
//! ```text
//! names ──find_channel──▶ FoundChannel ──choose, choose_usual──▶ Columns ──▶ tables, reports, arrays
//! ```
//! Takes a tape and names, gives places in frames. It reads no frames.

mod columns;
mod names;
mod usual;

pub(crate) use columns::every;
pub use columns::{ChosenColumn, Columns, choose, choose_every, choose_short, column_name};
pub use names::{ChannelNameError, FoundChannel, find_channel, find_in_one_stream};
pub use usual::{choose_usual, plotted_channels};
