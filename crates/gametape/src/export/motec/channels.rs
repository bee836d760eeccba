//! The channels of a log: first those that all games share, then those of the game under their own names. Names are unique and fit into
//! their fields.

use std::collections::HashSet;

use gametape_analysis::laps::RequestedChannel;
use gametape_analysis::recording::streams_of_games;
use gametape_format::ChannelType;
use gametape_format::read::Tape;
use gametape_games::Sample;

use super::file::{latin_1, width};
use super::probe::Probe;
use super::shared::{GEO_DECIMALS, Shared};
use crate::export::Columns;
use crate::motec::channel;

/// Most channels of a log, as the importer reads.
const MOST_CHANNELS: usize = 4096;
/// Rate of [`Source::LapNumber`].
const LAP_NUMBER_HZ: u16 = 10;
/// Rate of [`Source::LapTime`].
const LAP_TIME_HZ: u16 = 50;
/// Digits of the game's own numbers.
const OWN_DECIMALS: i16 = 3;

/// Where a channel has its values.
pub(super) enum Source {
    /// A shared channel, read after each frame of a stream.
    Shared { stream: usize, shared: Shared },
    /// A channel of the game.
    Own(RequestedChannel),
    /// How often the line was crossed.
    LapNumber,
    /// Time since the line was crossed.
    LapTime,
}

/// A channel of a log.
pub(super) struct LogChannel {
    pub(super) name: String,
    pub(super) unit: String,
    pub(super) hz: u16,
    pub(super) decimals: i16,
    /// Samples are integers of four bytes instead of floats.
    pub(super) is_integer: bool,
    pub(super) is_smooth: bool,
    pub(super) source: Source,
}

impl LogChannel {
    fn new(name: String, unit: &str, hz: u16, decimals: i16, is_smooth: bool, source: Source) -> Self {
        let is_integer = decimals == GEO_DECIMALS;
        Self { name, unit: unit.to_owned(), hz, decimals, is_integer, is_smooth, source }
    }

    /// Returns the stream whose frames change it.
    pub(super) fn stream(&self) -> Option<usize> {
        match &self.source {
            Source::Shared { stream, .. } => Some(*stream),
            Source::Own(own) => own.stream(),
            Source::LapNumber | Source::LapTime => None,
        }
    }

    /// Returns the value after a frame of its stream; NaN if it is unknown.
    pub(super) fn value(&mut self, stream: usize, frame: &[u8], sample: &Sample) -> f64 {
        match &mut self.source {
            Source::Shared { shared, .. } => shared.value(sample).unwrap_or(f64::NAN),
            Source::Own(own) => {
                own.frame(stream, frame);
                own.value(sample)
            }
            Source::LapNumber | Source::LapTime => f64::NAN,
        }
    }

    /// Returns the sample of a value.
    pub(super) fn sample(&self, value: f64) -> [u8; 4] {
        let raw = value * 10f64.powi(i32::from(self.decimals));
        // The conversion to an integer saturates.
        if self.is_integer { (raw.round() as i32).to_le_bytes() } else { (raw as f32).to_le_bytes() }
    }
}

/// Returns the channels of a log and the number of channels that it has no room for. Rates are at most `most_hz`.
pub(super) fn log_channels(
    tape: &Tape,
    columns: &Columns,
    (shared, probe): (Vec<Shared>, &Probe),
    has_lines: bool,
    most_hz: Option<f64>,
) -> (Vec<LogChannel>, u64) {
    let mut names = Names::default();
    let limit = most_hz.map_or(u16::MAX, |hz| hz.floor().max(1.0) as u16);
    let hz = |stream: usize| probe.hz.get(stream).copied().unwrap_or(1).min(limit);
    let mut all = Vec::new();
    if has_lines {
        let number = names.unique("Lap Number", "");
        all.push(LogChannel::new(number, "", LAP_NUMBER_HZ.min(limit), 0, false, Source::LapNumber));
        let time = names.unique("Lap Time Running", "");
        all.push(LogChannel::new(time, "s", LAP_TIME_HZ.min(limit), 3, false, Source::LapTime));
    }
    for (shared, owner) in shared.into_iter().zip(&probe.owners) {
        if let Some(stream) = *owner {
            let name = names.unique(&shared.name, "");
            let (unit, decimals, is_smooth) = (shared.unit, shared.decimals, shared.is_smooth);
            let source = Source::Shared { stream, shared };
            all.push(LogChannel::new(name, unit, hz(stream), decimals, is_smooth, source));
        }
    }
    let mut left_out = 0;
    for column in columns.0.iter().filter(|column| !column.is_text()) {
        let Some(stream) = streams_of_games(tape).position(|stream| stream.id() == column.stream) else { continue };
        for element in 0..column.count {
            if all.len() >= MOST_CHANNELS {
                left_out += 1;
                continue;
            }
            let ending = if column.count > 1 { format!("[{element}]") } else { String::new() };
            let offset = column.offset + element * column.kind.width();
            let own = RequestedChannel::at(column.name.clone(), column.unit.clone(), stream, offset, column.kind);
            let (is_smooth, decimals) = match column.kind {
                ChannelType::F32 | ChannelType::F64 => (true, OWN_DECIMALS),
                _ => (false, 0),
            };
            let unit = if column.unit == "degC" { "C" } else { &column.unit };
            let name = names.unique(&column.name, &ending);
            all.push(LogChannel::new(name, unit, hz(stream), decimals, is_smooth, Source::Own(own)));
        }
    }
    (all, left_out)
}

/// Makes names unique, without regard to case.
#[derive(Default)]
struct Names(HashSet<String>);

impl Names {
    /// Returns a name that fits and is new: of a long one the end of the text is left out, not its ending.
    fn unique(&mut self, text: &str, ending: &str) -> String {
        let longest = width(&channel::NAME) - 1;
        let text: String = latin_1(text);
        let mut number = 1_u32;
        loop {
            let ending = if number == 1 { ending.to_owned() } else { format!("{ending} {number}") };
            let room = longest.saturating_sub(ending.len());
            let kept: String = text.chars().take(room).collect();
            let name = format!("{}{ending}", if kept.trim().is_empty() { "channel" } else { &kept });
            if self.0.insert(name.to_lowercase()) {
                return name;
            }
            number += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_are_unique_and_keep_what_tells_them_apart() {
        let mut names = Names::default();
        let long = "suspensionTravelOfTheFourWheelsInMillimetres";
        let texts = [
            ("Gear", ""),
            ("gear", ""),
            (long, "[0]"),
            (long, "[1]"),
            (long, ""),
            (long, ""),
            ("\u{1F3CE}\0\n", ""),
            ("", ""),
        ];
        let found: Vec<String> = texts.iter().map(|(text, ending)| names.unique(text, ending)).collect();
        assert_eq!(found[..2], ["Gear", "gear 2"]);
        assert_eq!(found[2..4], ["suspensionTravelOfTheFourWhe[0]", "suspensionTravelOfTheFourWhe[1]"]);
        assert_eq!(found[4..6], ["suspensionTravelOfTheFourWheels", "suspensionTravelOfTheFourWhee 2"]);
        assert_eq!(found[6..], ["?", "channel"], "letters that latin-1 does not have, and control characters");
        assert!(found.iter().all(|name| name.chars().count() <= 31));
    }

    #[test]
    fn samples_have_the_decimals_that_are_shown() {
        let channel = |decimals| LogChannel::new(String::new(), "", 1, decimals, true, Source::LapTime);
        assert_eq!(channel(1).sample(25.55), 255.5_f32.to_le_bytes());
        assert_eq!(channel(GEO_DECIMALS).sample(-10.123_456_78), (-101_234_568_i32).to_le_bytes());
        assert!(f32::from_le_bytes(channel(0).sample(f64::NAN)).is_nan());
    }
}
