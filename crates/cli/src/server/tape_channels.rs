//! Channels of a tape by name, as questions name them: `STREAM/CHANNEL`, and `STREAM/CHANNEL.2` for one of an array.

use gametape::format::read::{Tape, TapeStream};
use gametape::format::{self, ChannelType, Role};

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
    /// The channel with this name.
    pub(super) fn find(tape: &'a Tape, name: &str) -> Result<Self, ApiError> {
        let unknown = || ApiError::bad_request(format!("this tape has no channel {name:?}; its own answer lists all"));
        let (of, plain) = name.split_once('/').ok_or_else(unknown)?;
        let stream = streams(tape).find(|stream| stream.name() == of).ok_or_else(unknown)?;
        let known = |wanted: &str| stream.spec().channels.iter().find(|channel| channel.name == wanted);
        let (channel, element) = match known(plain) {
            Some(channel) => (channel, None),
            None => {
                let (array, element) = plain.rsplit_once('.').ok_or_else(unknown)?;
                (known(array).ok_or_else(unknown)?, Some(element.parse::<u32>().map_err(|_| unknown())?))
            }
        };
        if !is_number(channel) {
            return Err(ApiError::bad_request(format!("{name:?} is a text: it has no smallest and largest value")));
        }
        match element {
            None if channel.count > 1 => {
                let last = channel.count - 1;
                Err(ApiError::bad_request(format!("{name:?} is an array: ask for {name}.0 to {name}.{last}")))
            }
            Some(element) if element >= channel.count => Err(unknown()),
            element => Ok(Self { stream, channel, element: element.unwrap_or_default() }),
        }
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

    /// Its name where tables are made.
    pub(super) fn name_in_tables(&self) -> String {
        let element = if self.channel.count > 1 { format!("[{}]", self.element) } else { String::new() };
        format!("{}/{}{element}", self.stream.name(), self.channel.name)
    }
}
