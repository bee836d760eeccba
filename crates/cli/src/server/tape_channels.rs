//! Channels of a tape by name, resolved as on the command line: `CHANNEL` or `STREAM/CHANNEL`, and `CHANNEL.2` for one of an array.

use gametape::format::read::{Tape, TapeStream};
use gametape::format::{self, ChannelType, Role};
use gametape::tape::{FoundChannel, find_channel};

use super::error::ApiError;

/// What a page shows before anybody has chosen: speed, engine, gear, pedals, steering, fuel, whatever games call them.
const USUAL: [&[&str]; 7] = [
    &["speedkmh", "speed", "speed_kmh", "vehiclespeed"],
    &["rpms", "rpm", "enginerpm", "engine_rpm"],
    &["gear", "currentgear"],
    &["gas", "throttle", "throttleraw"],
    &["brake", "brakeraw"],
    &["steerangle", "steeringwheelangle", "steer", "steering"],
    &["fuel", "fuellevel"],
];
/// Channels of a tape of which nothing is known, if it has none of those.
const FIRST: usize = 6;

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
    /// The channel with this name: exactly, or whatever the case if only one matches.
    pub(super) fn find(tape: &'a Tape, name: &str) -> Result<Self, ApiError> {
        let streams: Vec<_> = streams(tape).collect();
        let found = find_channel(&streams, name).map_err(|error| ApiError::bad_request(error.to_string()))?;
        let FoundChannel { stream, channel, element } = found;
        if !is_number(channel) {
            return Err(ApiError::bad_request(format!("{name:?} is a text: it has no smallest and largest value")));
        }
        if element.is_none() && channel.count > 1 {
            let last = channel.count - 1;
            return Err(ApiError::bad_request(format!("{name:?} is an array: ask for {name}.0 to {name}.{last}")));
        }
        Ok(Self { stream, channel, element: element.unwrap_or_default() })
    }

    /// What is shown before anybody has chosen.
    pub(super) fn usual(tape: &'a Tape) -> Vec<Self> {
        let all = || {
            streams(tape).filter(|stream| stream.totals().frames > 1).flat_map(|stream| {
                let channels = stream.spec().channels.iter().filter(|channel| is_number(channel) && channel.count == 1);
                channels.map(move |channel| Self { stream, channel, element: 0 })
            })
        };
        let named = |names: &&[&str]| {
            names.iter().find_map(|name| all().find(|found| found.channel.name.eq_ignore_ascii_case(name)))
        };
        let usual: Vec<_> = USUAL.iter().filter_map(named).collect();
        match usual.is_empty() {
            false => usual,
            true => {
                let busiest = all().map(|found| found.stream).max_by_key(|stream| stream.totals().frames);
                let of_it = |found: &Self| busiest.is_some_and(|stream| stream.id() == found.stream.id());
                all().filter(of_it).take(FIRST).collect()
            }
        }
    }

    /// Its name in questions and answers.
    pub(super) fn name(&self) -> String {
        let element = if self.channel.count > 1 { format!(".{}", self.element) } else { String::new() };
        format!("{}/{}{element}", self.stream.name(), self.channel.name)
    }
}
