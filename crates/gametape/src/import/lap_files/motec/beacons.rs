//! Line crossings in the channels of a `.ld` file.
//!
//! The channel `Beacon` of loggers in cars, one sample per second: a beacon begins with a negative sample; the next sample of 16384 or more
//! has, in its lower 14 bits, a signed offset in milliseconds; the sample that follows says what it is: 100 or 2 is the line. The crossing
//! was that offset after the second before the negative sample. If there is none, the channel `Lap Number` says in which sample a lap began.

use super::channel::LdChannel;
use super::time_of;
use super::values::Values;
use crate::import::Source;
use crate::import::error::ImportError;

/// A sample with an offset has this bit.
const OFFSET: i32 = 16_384;

/// Kinds of beacons at the line.
const AT_LINE: [i32; 2] = [100, 2];

/// Returns the times of the line crossings, and whether they are exact.
pub(super) fn lines(source: &Source, channels: &[LdChannel]) -> Result<Vec<(u64, bool)>, ImportError> {
    let named = |name: &str| channels.iter().find(|channel| channel.name.eq_ignore_ascii_case(name));
    if let Some(beacon) = named("beacon").filter(|channel| channel.hz == 1) {
        let mut state = Beacon::default();
        let (mut values, mut found) = (Values::new(source, beacon), Vec::new());
        while let Some((number, value)) = values.next()? {
            found.extend(state.sample(number, value.unwrap_or_default() as i32).map(|at_ns| (at_ns, true)));
        }
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let Some(laps) = named("lap number").or_else(|| named("lap_number")) else { return Ok(Vec::new()) };
    let (mut values, mut found, mut last) = (Values::new(source, laps), Vec::new(), None::<f64>);
    while let Some((number, value)) = values.next()? {
        if value.zip(last).is_some_and(|(now, last)| now > last) {
            found.push((time_of(number, laps.hz), false));
        }
        last = value.or(last);
    }
    Ok(found)
}

/// Reads the samples of the channel.
#[derive(Debug, Default)]
struct Beacon {
    /// The second of the first negative sample.
    began: Option<u64>,
    at_ns: Option<u64>,
}

impl Beacon {
    fn sample(&mut self, second: u64, value: i32) -> Option<u64> {
        match (self.began, self.at_ns) {
            (None, _) if value < 0 => self.began = Some(second),
            (Some(began), None) if value >= OFFSET => {
                let low = value - OFFSET;
                let offset_ms = if low >= OFFSET / 2 { low - OFFSET } else { low };
                let ms = (i128::from(began) - 1) * 1_000 + i128::from(offset_ms);
                self.at_ns = Some(u64::try_from(ms.max(0)).unwrap_or_default().saturating_mul(1_000_000));
            }
            (Some(_), Some(at_ns)) if value < OFFSET => {
                *self = Self { began: (value < 0).then_some(second), at_ns: None };
                return AT_LINE.contains(&value).then_some(at_ns);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beacon_is_three_samples() {
        let read = |samples: &[i32]| -> Vec<u64> {
            let mut beacon = Beacon::default();
            samples
                .iter()
                .zip(44..)
                .filter_map(|(value, at)| beacon.sample(at, *value))
                .map(|ns| ns / 1_000_000)
                .collect()
        };
        assert_eq!(read(&[-8725, -32_737, 16_931, 16_931, 100, 100]), [43_547]);
        assert_eq!(read(&[-8725, -32_737, 16_931, 56, 56]), [] as [u64; 0], "another kind");
        assert_eq!(read(&[-1, 16_384 + 16_284, 2]), [42_900], "a negative offset");
        assert_eq!(read(&[-1, 16_385, 100, 0, 0, -1, 16_386, 100]), [43_001, 48_002]);
        assert_eq!(read(&[-1, 5, 7]), [] as [u64; 0], "it never ends");
    }
}
