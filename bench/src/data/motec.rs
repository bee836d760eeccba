//! MoTeC `.ld` logs: parses channels in physical units.
//!
//! ```text
//! file: u32 first channel @8
//! channel: u32 next @4, u32 data @8, u32 values @12, u16 family @18, u16 value bytes @20, u16 rate_hz @22,
//!          i16 shift @24, i16 mul @26, i16 scale @28, i16 decimals @30, name[32] @32
//! physical = (raw / scale * 10^-decimals + shift) * mul
//! ```

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

use super::bytes::{f32_at, i16_at, i32_at, text_at, u16_at, u32_at};

const CHANNEL_BYTES: usize = 64;
/// Upper bound for the number of channels: more than any log has, so that a circular chain of offsets ends.
const MOST_CHANNELS: usize = 10_000;

/// One channel of a log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LogChannel {
    pub(crate) rate_hz: u32,
    pub(crate) values: Vec<f64>,
}

/// Channels by name.
pub(crate) type Log = BTreeMap<String, LogChannel>;

/// Decodes an IEEE half-precision number.
fn half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
    match exponent {
        0 => sign * fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => sign * f64::INFINITY,
        31 => f64::NAN,
        _ => sign * (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

/// Parses all channels of a log.
pub(crate) fn parse(data: &[u8]) -> Result<Log> {
    let mut log = Log::new();
    let mut at = u32_at(data, 8) as usize;
    while at != 0 {
        ensure!(log.len() < MOST_CHANNELS, "not an .ld file: too many channels");
        let head = data
            .get(at..at.saturating_add(CHANNEL_BYTES))
            .context("not an .ld file: a channel extends past the end of the file")?;
        let name = text_at(head, 32, 32);
        let (start, count) = (u32_at(head, 8) as usize, u32_at(head, 12) as usize);
        let (family, width) = (u16_at(head, 18), usize::from(u16_at(head, 20)));
        let read: fn(&[u8]) -> f64 = match (family, width) {
            (7, 4) => |raw| f64::from(f32_at(raw, 0)),
            (7, 2) => |raw| half(u16_at(raw, 0)),
            (_, 2) => |raw| f64::from(i16_at(raw, 0)),
            (_, 4) => |raw| f64::from(i32_at(raw, 0)),
            _ => bail!("channel {name}: unsupported values of {width} bytes"),
        };
        let raw = data.get(start..start.saturating_add(count.saturating_mul(width)));
        let raw = raw.with_context(|| format!("channel {name}: the values extend past the end of the file"))?;
        let [shift, mul, scale, decimals] = [24, 26, 28, 30].map(|offset| f64::from(i16_at(head, offset)));
        ensure!(scale != 0.0, "channel {name}: the scale is 0");
        let power = 10f64.powf(-decimals);
        let values = raw.chunks_exact(width).map(|raw| (read(raw) / scale * power + shift) * mul).collect();
        let next = u32_at(head, 4) as usize;
        let rate_hz = u32::from(u16_at(head, 22));
        ensure!(rate_hz > 0, "channel {name}: the rate is 0 Hz");
        ensure!(log.insert(name.clone(), LogChannel { rate_hz, values }).is_none(), "duplicate channel {name}");
        at = next;
    }
    Ok(log)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(next: u32, start: u32, count: u32, kind: [u16; 3], numbers: [i16; 4], name: &str) -> Vec<u8> {
        let mut head = Vec::new();
        [0, next, start, count].iter().for_each(|v: &u32| head.extend(v.to_le_bytes()));
        head.extend(0u16.to_le_bytes());
        kind.iter().for_each(|v| head.extend(v.to_le_bytes()));
        numbers.iter().for_each(|v| head.extend(v.to_le_bytes()));
        head.extend(name.as_bytes());
        head.resize(CHANNEL_BYTES, 0);
        head
    }

    fn made_up() -> Vec<u8> {
        let mut data = vec![0; 16];
        data[8] = 16;
        data.extend(channel(80, 144, 2, [7, 4, 20], [0, 1, 1, 0], "SPEED"));
        data.extend(channel(0, 152, 3, [3, 2, 50], [1, 2, 5, 1], "GEAR"));
        [1.5f32, -2.0].iter().for_each(|v| data.extend(v.to_le_bytes()));
        [100i16, 0, -50].iter().for_each(|v| data.extend(v.to_le_bytes()));
        data
    }

    #[test]
    fn channels_of_a_made_up_log_have_physical_values() {
        let log = parse(&made_up()).unwrap();
        assert_eq!(log["SPEED"], LogChannel { rate_hz: 20, values: vec![1.5, -2.0] });
        // (raw / 5 * 0.1 + 1) * 2
        assert_eq!(log["GEAR"], LogChannel { rate_hz: 50, values: vec![6.0, 2.0, 0.0] });
    }

    #[test]
    fn cut_and_circular_logs_are_errors() {
        let data = made_up();
        for len in [17, 80, 120, data.len() - 1] {
            assert!(parse(&data[..len]).is_err(), "cut to {len} bytes");
        }
        let mut circle = data;
        circle[80 + 4] = 80;
        assert!(parse(&circle).is_err());
    }

    #[test]
    fn half_precision_numbers() {
        assert_eq!([0x3C00, 0xC000, 0x0001, 0x7BFF].map(half), [1.0, -2.0, 2f64.powi(-24), 65504.0]);
        assert!(half(0x7E00).is_nan());
    }
}
