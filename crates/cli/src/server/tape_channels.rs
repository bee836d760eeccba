//! Resolves channels of a tape by name, as on the command line: `CHANNEL` or `STREAM/CHANNEL`, and `CHANNEL.2` for an array element.

use gametape::export::plotted_channels;
use gametape::format::read::{Tape, TapeStream};
use gametape::format::{self, ChannelType, Role};
use gametape::tape::{FoundChannel, find_channel};

use super::error::ApiError;

/// A channel, or one element of an array.
#[derive(Debug, Clone, Copy)]
pub(super) struct Channel<'a> {
    pub(super) stream: &'a TapeStream,
    pub(super) channel: &'a format::Channel,
    pub(super) element: u32,
}

fn is_number(channel: &format::Channel) -> bool {
    !matches!(channel.kind, ChannelType::Char | ChannelType::Char16)
}

fn streams(tape: &Tape) -> impl Iterator<Item = &TapeStream> {
    tape.streams().filter(|stream| stream.spec().role == Role::Data)
}

impl<'a> Channel<'a> {
    /// Finds the channel with this name: an exact match, or the only match ignoring case.
    pub(super) fn find(tape: &'a Tape, name: &str) -> Result<Self, ApiError> {
        let streams: Vec<_> = streams(tape).collect();
        let found = find_channel(&streams, name).map_err(|error| ApiError::bad_request(error.to_string()))?;
        let FoundChannel { stream, channel, element } = found;
        if !is_number(channel) {
            return Err(ApiError::bad_request(format!("{name:?} is text and has no minimum and maximum")));
        }
        if element.is_none() && channel.count > 1 {
            let last = channel.count - 1;
            return Err(ApiError::bad_request(format!("{name:?} is an array; request {name}.0 to {name}.{last}")));
        }
        Ok(Self { stream, channel, element: element.unwrap_or_default() })
    }

    /// Returns the channels that a page shows by default.
    pub(super) fn usual(tape: &'a Tape) -> Vec<Self> {
        let plotted = plotted_channels(tape).into_iter();
        plotted.map(|FoundChannel { stream, channel, .. }| Self { stream, channel, element: 0 }).collect()
    }

    /// Returns its name in requests and responses.
    pub(super) fn name(&self) -> String {
        let element = if self.channel.count > 1 { format!(".{}", self.element) } else { String::new() };
        format!("{}/{}{element}", self.stream.name(), self.channel.name)
    }
}
