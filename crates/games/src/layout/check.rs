//! Validates channel tables.
use std::collections::HashMap;

use thiserror::Error;

use super::Channel;

/// An invalid channel table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LayoutError {
    /// The layout has no id.
    #[error("the layout of a frame of {frame_bytes} bytes has no id")]
    NoId {
        /// Length of the frame.
        frame_bytes: u32,
    },
    /// A channel has no name.
    #[error("the channel at byte {offset} has no name")]
    NoName {
        /// Offset of the channel.
        offset: u32,
    },
    /// A channel has no values.
    #[error("channel {name:?} at byte {offset} has a count of 0")]
    NoValues {
        /// The channel.
        name: String,
        /// Offset of the channel.
        offset: u32,
    },
    /// Two channels share a name.
    #[error("two channels are named {name:?}: at byte {first_offset} and at byte {second_offset}")]
    DuplicateName {
        /// The name.
        name: String,
        /// Offset of the first one.
        first_offset: u32,
        /// Offset of the second one.
        second_offset: u32,
    },
    /// A channel extends past the end of the frame.
    #[error("channel {name:?} occupies bytes {offset} to {end}, but the frame has only {frame_bytes} bytes")]
    OutsideFrame {
        /// The channel.
        name: String,
        /// Offset of the channel.
        offset: u32,
        /// Offset of the first byte after it.
        end: u64,
        /// Length of the frame.
        frame_bytes: u32,
    },
    /// Two channels overlap.
    #[error("channel {second:?} starts at byte {second_offset}, before {first:?} ends at byte {first_end}")]
    Overlap {
        /// The channel that starts first.
        first: String,
        /// Offset of the first byte after it.
        first_end: u64,
        /// The channel that starts inside it.
        second: String,
        /// Offset of that channel.
        second_offset: u32,
    },
}

pub(super) fn check(frame_bytes: u32, channels: &[Channel]) -> Result<(), LayoutError> {
    let mut seen: HashMap<&str, u32> = HashMap::with_capacity(channels.len());
    let mut before: Option<&Channel> = None;
    for channel in channels {
        let (name, offset) = (|| channel.name.to_string(), channel.offset);
        if channel.name.is_empty() {
            return Err(LayoutError::NoName { offset });
        }
        if channel.count == 0 {
            return Err(LayoutError::NoValues { name: name(), offset });
        }
        if channel.end() > u64::from(frame_bytes) {
            return Err(LayoutError::OutsideFrame { name: name(), offset, end: channel.end(), frame_bytes });
        }
        if let Some(first_offset) = seen.insert(&channel.name, offset) {
            return Err(LayoutError::DuplicateName { name: name(), first_offset, second_offset: offset });
        }
        if let Some(first) = before.filter(|first| first.end() > u64::from(offset)) {
            return Err(LayoutError::Overlap {
                first: first.name.to_string(),
                first_end: first.end(),
                second: name(),
                second_offset: offset,
            });
        }
        before = Some(channel);
    }
    Ok(())
}
