//! The channels of a lap by name: neutral channels that all games share (`speed_kmh`), and channels of the tape (`physics/tyreWear.2`).
//!
//! Resolves names and returns the values after each frame. Unknown values are NaN in this module, and `None` outside of it.

use gametape_format::{Channel, ChannelType};
use gametape_games::Sample;

use super::columns::ColumnsError;
use crate::recording::Recording;

/// Maximum number of channels listed. Games with an array per car have thousands.
const MOST_LISTED: usize = 4096;
const PSI_PER_KPA: f32 = 0.145_037_74;

/// A channel that can be requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelName {
    /// Channel name.
    pub name: String,
    /// Unit; empty if there is none or it is unknown.
    pub unit: String,
}

/// A channel that all games share.
struct Neutral {
    name: &'static str,
    unit: &'static str,
    /// Whether values may be interpolated between frames.
    is_smooth: bool,
    of: fn(&Sample) -> Option<f32>,
}

const fn smooth(name: &'static str, unit: &'static str, of: fn(&Sample) -> Option<f32>) -> Neutral {
    Neutral { name, unit, is_smooth: true, of }
}

/// The neutral channels, in the order in which they are returned.
const NEUTRAL: &[Neutral] = &[
    smooth("speed_kmh", "km/h", |sample| sample.speed_kmh),
    smooth("rpm", "rpm", |sample| sample.rpm),
    Neutral { name: "gear", unit: "", is_smooth: false, of: |sample| sample.gear.map(f32::from) },
    smooth("throttle", "", |sample| sample.throttle),
    smooth("brake", "", |sample| sample.brake),
    smooth("clutch", "", |sample| sample.clutch),
    smooth("steering", "", |sample| sample.steering.or(sample.steering_rad)),
    smooth("x_m", "m", |sample| sample.world_m.map(|[x, _, _]| x)),
    smooth("y_m", "m", |sample| sample.world_m.map(|[_, y, _]| y)),
    smooth("z_m", "m", |sample| sample.world_m.map(|[_, _, z]| z)),
    smooth("lateral_g", "g", |sample| sample.lateral_g),
    smooth("longitudinal_g", "g", |sample| sample.longitudinal_g),
    smooth("fuel_l", "l", |sample| sample.fuel_l),
    smooth("tyre_core_c.0", "degC", |sample| sample.wheels[0].tyre_core_celsius),
    smooth("tyre_core_c.1", "degC", |sample| sample.wheels[1].tyre_core_celsius),
    smooth("tyre_core_c.2", "degC", |sample| sample.wheels[2].tyre_core_celsius),
    smooth("tyre_core_c.3", "degC", |sample| sample.wheels[3].tyre_core_celsius),
    smooth("tyre_psi.0", "psi", |sample| sample.wheels[0].pressure_kpa.map(|kpa| kpa * PSI_PER_KPA)),
    smooth("tyre_psi.1", "psi", |sample| sample.wheels[1].pressure_kpa.map(|kpa| kpa * PSI_PER_KPA)),
    smooth("tyre_psi.2", "psi", |sample| sample.wheels[2].pressure_kpa.map(|kpa| kpa * PSI_PER_KPA)),
    smooth("tyre_psi.3", "psi", |sample| sample.wheels[3].pressure_kpa.map(|kpa| kpa * PSI_PER_KPA)),
    smooth("tyre_wear.0", "", |sample| sample.wheels[0].tread_left.map(|left| 1.0 - left)),
    smooth("tyre_wear.1", "", |sample| sample.wheels[1].tread_left.map(|left| 1.0 - left)),
    smooth("tyre_wear.2", "", |sample| sample.wheels[2].tread_left.map(|left| 1.0 - left)),
    smooth("tyre_wear.3", "", |sample| sample.wheels[3].tread_left.map(|left| 1.0 - left)),
];

/// Returns the names of the neutral channels.
pub fn neutral_channels() -> impl Iterator<Item = &'static str> {
    NEUTRAL.iter().map(|neutral| neutral.name)
}

/// A requested channel.
#[derive(Clone)]
pub struct RequestedChannel {
    /// The requested name.
    pub name: String,
    /// Unit; empty if there is none or it is unknown.
    pub unit: String,
    /// Whether values may be interpolated between frames.
    pub is_smooth: bool,
    /// Whether values have single precision, so that further digits are meaningless.
    pub(super) is_single: bool,
    source: Source,
}

#[derive(Clone)]
enum Source {
    Neutral(fn(&Sample) -> Option<f32>),
    Tape { stream: usize, offset: usize, kind: ChannelType, newest: f64 },
}

impl RequestedChannel {
    /// Returns the neutral channel with this name.
    #[must_use]
    pub fn neutral(name: &str) -> Option<Self> {
        let neutral = NEUTRAL.iter().find(|neutral| neutral.name == name)?;
        let (unit, is_smooth) = (neutral.unit.to_owned(), neutral.is_smooth);
        Some(Self { name: name.to_owned(), unit, is_smooth, is_single: true, source: Source::Neutral(neutral.of) })
    }

    /// Creates a channel that reads a value at `offset` in the frames of a stream, under a name of the caller's choice.
    #[must_use]
    pub fn at(name: String, unit: String, stream: usize, offset: usize, kind: ChannelType) -> Self {
        let is_smooth = matches!(kind, ChannelType::F32 | ChannelType::F64);
        let source = Source::Tape { stream, offset, kind, newest: f64::NAN };
        Self { name, unit, is_smooth, is_single: kind == ChannelType::F32, source }
    }

    /// Returns the stream that the channel is read from, or `None` for a neutral channel.
    #[must_use]
    pub fn stream(&self) -> Option<usize> {
        match self.source {
            Source::Neutral(_) => None,
            Source::Tape { stream, .. } => Some(stream),
        }
    }

    /// Finds the channel with this name.
    pub(super) fn find(tape: &dyn Recording, name: &str) -> Result<Self, ColumnsError> {
        if let Some(tap) = Self::neutral(name) {
            return Ok(tap);
        }
        let unknown = || ColumnsError::UnknownChannel { name: name.to_owned() };
        for (stream, spec) in tape.streams().into_iter().enumerate() {
            let Some(wanted) = name.strip_prefix(spec.name.as_str()).and_then(|rest| rest.strip_prefix('/')) else {
                continue;
            };
            let (channel, index) = match spec.channels.iter().find(|channel| channel.name == wanted) {
                Some(channel) => (channel, 0),
                None => {
                    let (base, index) = wanted.rsplit_once('.').ok_or_else(unknown)?;
                    let channel = spec.channels.iter().find(|channel| channel.name == base).ok_or_else(unknown)?;
                    let index = index.parse::<u32>().ok().filter(|index| *index < channel.count && channel.count > 1);
                    (channel, index.ok_or_else(unknown)?)
                }
            };
            if is_text(channel.kind) {
                return Err(unknown());
            }
            if channel.count > 1 && channel.name == wanted {
                return Err(ColumnsError::Array { name: name.to_owned(), last: channel.count - 1 });
            }
            let offset = channel.offset as usize + index as usize * channel.kind.width();
            return Ok(Self::at(name.to_owned(), channel.unit.clone(), stream, offset, channel.kind));
        }
        Err(unknown())
    }

    /// Updates the value from a frame.
    pub fn frame(&mut self, of: usize, bytes: &[u8]) {
        if let Source::Tape { stream, offset, kind, newest } = &mut self.source
            && *stream == of
        {
            *newest = value_at(*kind, bytes, *offset).unwrap_or(f64::NAN);
        }
    }

    /// Returns the current value, or NaN if it is unknown.
    #[must_use]
    pub fn value(&self, sample: &Sample) -> f64 {
        match &self.source {
            Source::Neutral(of) => of(sample).map_or(f64::NAN, f64::from),
            Source::Tape { newest, .. } => *newest,
        }
    }
}

fn is_text(kind: ChannelType) -> bool {
    matches!(kind, ChannelType::Char | ChannelType::Char16)
}

/// Reads a value from a frame. Returns `None` if the frame is too short.
fn value_at(kind: ChannelType, bytes: &[u8], offset: usize) -> Option<f64> {
    fn array<const N: usize>(bytes: &[u8], offset: usize) -> Option<[u8; N]> {
        bytes.get(offset..offset.checked_add(N)?)?.try_into().ok()
    }
    Some(match kind {
        ChannelType::U8 | ChannelType::Char | ChannelType::Bits8 => f64::from(*bytes.get(offset)?),
        ChannelType::Bool => f64::from(u8::from(*bytes.get(offset)? != 0)),
        ChannelType::I8 => f64::from(i8::from_le_bytes(array(bytes, offset)?)),
        ChannelType::U16 | ChannelType::Char16 | ChannelType::Bits16 => {
            f64::from(u16::from_le_bytes(array(bytes, offset)?))
        }
        ChannelType::I16 => f64::from(i16::from_le_bytes(array(bytes, offset)?)),
        ChannelType::U32 | ChannelType::Bits32 => f64::from(u32::from_le_bytes(array(bytes, offset)?)),
        ChannelType::I32 => f64::from(i32::from_le_bytes(array(bytes, offset)?)),
        ChannelType::U64 | ChannelType::Bits64 => u64::from_le_bytes(array(bytes, offset)?) as f64,
        ChannelType::I64 => i64::from_le_bytes(array(bytes, offset)?) as f64,
        ChannelType::F32 => f64::from(f32::from_le_bytes(array(bytes, offset)?)),
        ChannelType::F64 => f64::from_le_bytes(array(bytes, offset)?),
    })
}

/// Returns the unit of the neutral steering channel: empty for a fraction of full lock, `rad` if the game reports only an angle.
#[must_use]
pub fn steering_unit(sample: &Sample) -> &'static str {
    match (sample.steering, sample.steering_rad) {
        (None, Some(_)) => "rad",
        _ => "",
    }
}

/// Lists the channels that can be requested: the neutral channels that this game provides, then those of the tape.
pub(super) fn available(tape: &dyn Recording, sample: &Sample) -> Vec<ChannelName> {
    let given = NEUTRAL.iter().filter(|neutral| (neutral.of)(sample).is_some());
    let neutral = given.map(|neutral| ChannelName {
        name: neutral.name.to_owned(),
        unit: if neutral.name == "steering" { steering_unit(sample) } else { neutral.unit }.to_owned(),
    });
    let of_tape = tape.streams().into_iter().flat_map(|spec| {
        let channels = spec.channels.iter().filter(|channel| !is_text(channel.kind));
        channels.flat_map(|channel| elements(&spec.name, channel))
    });
    neutral.chain(of_tape).take(MOST_LISTED).collect()
}

fn elements<'a>(stream: &'a str, channel: &'a Channel) -> impl Iterator<Item = ChannelName> + 'a {
    (0..channel.count).map(move |index| ChannelName {
        name: match channel.count {
            1 => format!("{stream}/{}", channel.name),
            _ => format!("{stream}/{}.{index}", channel.name),
        },
        unit: channel.unit.clone(),
    })
}
