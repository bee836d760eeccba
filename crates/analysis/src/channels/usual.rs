//! The channels that are exported and plotted by default: those most people look at first, under the names that games use.

use gametape_format::read::{Tape, TapeStream};
use gametape_format::{ChannelType, Role};

use super::columns::LONGEST_ARRAY;
use super::{ChosenColumn, Columns, FoundChannel, every};

/// One value and its names in different games, compared without regard to case.
struct Usual {
    names: &'static [&'static str],
    /// Shown by a page before the user has chosen channels.
    plotted: bool,
}

const fn listed(names: &'static [&'static str]) -> Usual {
    Usual { names, plotted: false }
}

const fn plotted(names: &'static [&'static str]) -> Usual {
    Usual { names, plotted: true }
}

/// In the order of the columns.
const USUAL: [Usual; 18] = [
    plotted(&["speedKmh", "speed", "speed_kmh", "vehicleSpeed"]),
    plotted(&["rpms", "rpm", "engineRpm", "engine_rpm"]),
    plotted(&["gear", "currentGear"]),
    plotted(&["gas", "throttle", "throttleRaw"]),
    plotted(&["brake", "brakeRaw"]),
    listed(&["clutch", "clutchRaw"]),
    plotted(&["steerAngle", "steeringWheelAngle", "steer", "steering"]),
    listed(&["accG", "latAccel"]),
    listed(&["longAccel"]),
    plotted(&["fuel", "fuelLevel", "fuelInTank"]),
    listed(&["tyreCoreTemperature", "tyreTemp", "tyreTemperature"]),
    listed(&["wheelsPressure", "tyresPressure"]),
    listed(&["brakeTemp"]),
    listed(&["normalizedCarPosition", "npos", "lapDistPct", "lapDistance"]),
    listed(&["iCurrentTime", "lapCurrentLapTime", "currentLapTime"]),
    listed(&["completedLaps", "lap"]),
    listed(&["isInPitLane", "isInPit", "onPitRoad"]),
    listed(&["carCoordinates", "worldPosition"]),
];

/// Number of channels that are plotted if a tape has none of the usual ones.
const FIRST: usize = 6;

/// Returns the channels that a page plots by default: single numbers that change. If the tape has none of the usual ones, returns the first
/// channels of the stream with the most frames.
#[must_use]
pub fn plotted_channels(tape: &Tape) -> Vec<FoundChannel<'_>> {
    let data = tape.streams().filter(|stream| stream.spec().role == Role::Data && stream.totals().frames > 1);
    let all: Vec<_> = data
        .flat_map(|stream| {
            let is_text = |kind| matches!(kind, ChannelType::Char | ChannelType::Char16);
            let single =
                stream.spec().channels.iter().filter(move |channel| !is_text(channel.kind) && channel.count == 1);
            single.map(move |channel| FoundChannel { stream, channel, element: None })
        })
        .collect();
    let find = |name: &&str| all.iter().find(|found| found.channel.name.eq_ignore_ascii_case(name)).copied();
    let plotted = USUAL.iter().filter(|usual| usual.plotted);
    let usual: Vec<_> = plotted.filter_map(|usual| usual.names.iter().find_map(find)).collect();
    if !usual.is_empty() {
        return usual;
    }
    let busiest = all.iter().map(|found| found.stream).max_by_key(|stream| stream.totals().frames);
    let of_busiest = |found: &FoundChannel<'_>| busiest.is_some_and(|stream| stream.id() == found.stream.id());
    all.into_iter().filter(of_busiest).take(FIRST).collect()
}

/// Chooses the usual channels of a tape: speed, engine, pedals, steering, fuel, tyres, position. All channels if it has none of them.
#[must_use]
pub fn choose_usual(tape: &Tape) -> Columns {
    let data: Vec<&TapeStream> = tape.streams().filter(|stream| stream.spec().role == Role::Data).collect();
    let all: Vec<_> = every(&data).collect();
    let find = |name: &&str| {
        let fits =
            |name: &str, known: &str, count: u32| count as usize <= LONGEST_ARRAY && known.eq_ignore_ascii_case(name);
        all.iter().find(|found| fits(name, &found.channel.name, found.channel.count))
    };
    let usual: Vec<_> = USUAL.iter().filter_map(|usual| usual.names.iter().find_map(find)).collect();
    let chosen = if usual.is_empty() { all.iter().collect() } else { usual };
    Columns(chosen.into_iter().map(|found| ChosenColumn::of(found, &data)).collect())
}
