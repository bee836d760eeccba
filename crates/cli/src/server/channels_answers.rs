//! Response bodies for lap telemetry: columns, comparisons, outlines. Field names are stable.

use gametape::laps::compare::{Comparison, Corner, Stretch};
use gametape::laps::{ChannelName, Column, LapColumns, TrackFacts};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use super::lap_answer::LapAnswer;

/// A number in its shortest exact form: a 4-byte float has at most nine digits.
#[derive(Debug, Clone, Copy, PartialEq, ToSchema)]
#[schema(value_type = Option<f64>)]
pub(super) struct Number(Option<f64>);

impl Number {
    pub(super) fn new(number: Option<f64>) -> Self {
        Self(number)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self.0.filter(|number| number.is_finite()) {
            Some(number) if f64::from(number as f32) == number => out.serialize_f32(number as f32),
            Some(number) => out.serialize_f64(number),
            None => out.serialize_none(),
        }
    }
}

/// Rounds positions to a tenth of a millimetre and times to a microsecond; further digits are noise.
fn rounded(number: Option<f64>, steps: f64) -> Number {
    Number(number.map(|number| (number * steps).round() / steps))
}

fn all_rounded(numbers: &[Option<f64>], steps: f64) -> Vec<Number> {
    numbers.iter().map(|number| rounded(*number, steps)).collect()
}

const METRES: f64 = 1e4;
const MILLISECONDS: f64 = 1e3;
const SHARES: f64 = 1e8;

/// One channel with a value for each row.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ColumnAnswer {
    name: String,
    /// Empty if there is none, or if it is not known.
    unit: String,
    #[schema(value_type = Vec<Option<f64>>)]
    values: Vec<Number>,
}

impl From<Column> for ColumnAnswer {
    fn from(column: Column) -> Self {
        let Column { name, unit, values } = column;
        Self { name, unit, values: values.into_iter().map(Number).collect() }
    }
}

/// A channel that can be requested.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ChannelAnswer {
    name: String,
    unit: String,
}

impl From<ChannelName> for ChannelAnswer {
    fn from(channel: ChannelName) -> Self {
        let ChannelName { name, unit } = channel;
        Self { name, unit }
    }
}

/// The channels of a lap.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ChannelsAnswer {
    lap: LapAnswer,
    /// Length of the track.
    length_m: Option<f32>,
    /// The number of values in each column.
    rows: usize,
    /// Track position of each row, 0 to 1.
    #[schema(value_type = Vec<Option<f64>>)]
    share: Vec<Number>,
    /// Distance of each row from the start line; `null` if the length of the track is not known.
    #[schema(value_type = Option<Vec<Option<f64>>>)]
    distance_m: Option<Vec<Number>>,
    /// Time of each row since the start line.
    #[schema(value_type = Vec<Option<f64>>)]
    time_ms: Vec<Number>,
    columns: Vec<ColumnAnswer>,
    /// All channels that can be requested.
    available: Vec<ChannelAnswer>,
}

impl ChannelsAnswer {
    pub(super) fn of(lap: LapAnswer, length_m: Option<f32>, found: LapColumns) -> Self {
        let metres = |length_m: f32| {
            let at = |share: &Option<f64>| rounded(share.map(|share| share * f64::from(length_m)), METRES);
            found.share.iter().map(at).collect()
        };
        Self {
            lap,
            length_m,
            rows: found.time_ms.len(),
            distance_m: length_m.map(metres),
            share: all_rounded(&found.share, SHARES),
            time_ms: all_rounded(&found.time_ms, MILLISECONDS),
            columns: found.columns.into_iter().map(ColumnAnswer::from).collect(),
            available: found.available.into_iter().map(ChannelAnswer::from).collect(),
        }
    }
}

/// A comparison of laps.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CompareAnswer {
    /// Id of the reference lap: the first one.
    reference: String,
    length_m: f32,
    /// Positions as distance from the start line.
    #[schema(value_type = Vec<f64>)]
    distance_m: Vec<Number>,
    /// In the order of the request.
    laps: Vec<ComparedAnswer>,
    /// The lap in parts of equal length.
    stretches: Vec<StretchAnswer>,
    /// The corners of the reference lap.
    corners: Vec<CornerAnswer>,
}

/// A lap of a comparison.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ComparedAnswer {
    lap: LapAnswer,
    /// How much later than the reference it is at each position; negative is earlier.
    #[schema(value_type = Vec<Option<f64>>)]
    delta_ms: Vec<Number>,
    columns: Vec<ColumnAnswer>,
}

/// A part of the lap.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StretchAnswer {
    #[schema(value_type = f64)]
    from_m: Number,
    #[schema(value_type = f64)]
    to_m: Number,
    /// Time that each lap loses in it; negative is gained.
    #[schema(value_type = Vec<Option<f64>>)]
    lost_ms: Vec<Number>,
}

/// A corner.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CornerAnswer {
    /// Counted from 1, starting at the start line.
    n: u32,
    /// Where the reference lap brakes.
    #[schema(value_type = f64)]
    from_m: Number,
    /// Where the reference lap is slowest.
    #[schema(value_type = f64)]
    apex_m: Number,
    /// Where the reference lap has regained half of the lost speed.
    #[schema(value_type = f64)]
    to_m: Number,
    /// The lowest speed of each lap.
    #[schema(value_type = Vec<Option<f64>>)]
    min_speed_kmh: Vec<Number>,
    /// Time that each lap loses in it; negative is gained.
    #[schema(value_type = Vec<Option<f64>>)]
    lost_ms: Vec<Number>,
}

impl CompareAnswer {
    /// `laps` come with the requested columns.
    pub(super) fn of(laps: Vec<(LapAnswer, Vec<Column>)>, length_m: f32, compared: Comparison) -> Self {
        let place = |place: f64| rounded(Some(place), METRES);
        let stretch = |stretch: &Stretch| StretchAnswer {
            from_m: place(stretch.from_m),
            to_m: place(stretch.to_m),
            lost_ms: all_rounded(&stretch.lost_ms, MILLISECONDS),
        };
        let corner = |corner: &Corner| CornerAnswer {
            n: corner.n,
            from_m: place(corner.from_m),
            apex_m: place(corner.apex_m),
            to_m: place(corner.to_m),
            min_speed_kmh: all_rounded(&corner.min_speed_kmh, MILLISECONDS),
            lost_ms: all_rounded(&corner.lost_ms, MILLISECONDS),
        };
        Self {
            reference: laps.first().map(|(lap, _)| lap.id.clone()).unwrap_or_default(),
            length_m,
            distance_m: compared.distance_m.iter().copied().map(place).collect(),
            stretches: compared.stretches.iter().map(stretch).collect(),
            corners: compared.corners.iter().map(corner).collect(),
            laps: laps
                .into_iter()
                .zip(compared.delta_ms)
                .map(|((lap, columns), delta)| ComparedAnswer {
                    lap,
                    delta_ms: all_rounded(&delta, MILLISECONDS),
                    columns: columns.into_iter().map(ColumnAnswer::from).collect(),
                })
                .collect(),
        }
    }
}

/// What is known of a track, derived from laps.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct OutlineAnswer {
    game: String,
    track: String,
    layout: Option<String>,
    length_m: Option<f32>,
    /// Where each sector but the last ends, 0 to 1.
    sector_ends: Vec<f32>,
    /// Points along a lap in world coordinates of the game: x, y (up), z. Parts that were never driven are left out.
    outline_m: Vec<[f32; 3]>,
    /// Where the pit lane begins, 0 to 1.
    pit_entry: Option<f32>,
    /// Where the pit lane ends, 0 to 1.
    pit_exit: Option<f32>,
}

impl From<TrackFacts> for OutlineAnswer {
    fn from(facts: TrackFacts) -> Self {
        let TrackFacts { game, track, layout, length_m, sector_ends, outline_m, pit_entry, pit_exit } = facts;
        Self { game, track, layout, length_m, sector_ends, outline_m, pit_entry, pit_exit }
    }
}
