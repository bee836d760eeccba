//! Selects the channels of a report: those that all games share, then those of the tape. Constant channels are omitted unless requested.

use gametape_format::Ranges;
use gametape_format::read::{ReadError, Tape, TapeStream};

use super::{CORE_STRETCHES, MOST_OTHERS, NEUTRAL_STRETCHES, OTHER_STRETCHES, Weight};
use crate::channels::{ChosenColumn, Columns};
use crate::laps::{RequestedChannel, neutral_channels};
use crate::recording::streams_of_games;

/// The channels shown by default, in this order, and those that the map is drawn from.
const CORE: [&str; 8] = ["speed_kmh", "throttle", "brake", "gear", "steering", "rpm", "x_m", "z_m"];
/// Longest array that is included by default. Longer ones have an element for each car, or each sample of a fast sensor.
const LONGEST_ARRAY: usize = 16;

/// A channel and its resolution.
pub(super) struct Chosen {
    pub(super) tap: RequestedChannel,
    pub(super) weight: Weight,
    /// Maximum number of intervals.
    pub(super) most: usize,
    /// Whether the user requested it: then it is included even if it never changes.
    pub(super) asked_for: bool,
}

/// Returns the channels of a report. Whether the game provides the shared ones turns out later.
pub(super) fn chosen(tape: &Tape, columns: &Columns, named: bool) -> Result<Vec<Chosen>, ReadError> {
    let rest = neutral_channels().filter(|name| !CORE.contains(name));
    let neutral = CORE.into_iter().chain(rest).filter_map(RequestedChannel::neutral).map(|tap| {
        let core = CORE.contains(&tap.name.as_str());
        let (weight, most) = if core { (Weight::Core, CORE_STRETCHES) } else { (Weight::Neutral, NEUTRAL_STRETCHES) };
        Chosen { tap, weight, most, asked_for: false }
    });
    let mut all: Vec<Chosen> = neutral.collect();
    let mut others = Vec::new();
    for column in columns.0.iter().filter(|column| !column.is_text()) {
        let Some((place, stream)) = streams_of_games(tape).enumerate().find(|(_, stream)| stream.id() == column.stream)
        else {
            continue;
        };
        if !named && column.count > LONGEST_ARRAY {
            continue;
        }
        for element in 0..column.count {
            if others.len() == MOST_OTHERS {
                break;
            }
            if named || may_change(tape, stream, column, element)? {
                let name = if column.count > 1 { format!("{}[{element}]", column.name) } else { column.name.clone() };
                let offset = column.offset + element * column.kind.width();
                others.push(RequestedChannel::at(name, column.unit.clone(), place, offset, column.kind));
            }
        }
    }
    // Requested channels share the room of all others.
    let room = MOST_OTHERS * OTHER_STRETCHES / others.len().max(1);
    let most = if named { room.min(CORE_STRETCHES) } else { OTHER_STRETCHES };
    all.extend(others.into_iter().map(|tap| Chosen { tap, weight: Weight::Other, most, asked_for: named }));
    Ok(all)
}

/// Returns whether a value changes, according to the index.
fn may_change(tape: &Tape, stream: &TapeStream, column: &ChosenColumn, element: usize) -> Result<bool, ReadError> {
    let known = stream.spec().channels.iter().find(|channel| {
        let bytes = channel.kind.width() * channel.count as usize;
        (channel.offset as usize..channel.offset as usize + bytes.max(1)).contains(&column.offset)
    });
    let Some(known) = known.filter(|known| known.ranges != Ranges::None) else { return Ok(true) };
    let whole = tape.overview(stream, &known.name, element as u32, 0..u64::MAX, 1)?;
    // The index has no extremes for values that are not numbers.
    Ok(whole.iter().any(|bucket| bucket.min.is_none() || bucket.min != bucket.max))
}
