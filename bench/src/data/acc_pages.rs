//! ACC physics pages (800 bytes, 100 Hz) rebuilt from a MoTeC log that ACC itself wrote.
//!
//! The driven channels (speed, pedals, steering, gear, rpm, g-forces, yaw, wheels, tyres, brakes, suspension) are real,
//! stored at their page offsets and interpolated to 100 Hz. Derived values (velocity, heading, contact points) are
//! computed; the rest is constant. The pages thus have the entropy of real driving where it matters, but they are not a
//! recording: report figures from them as "ACC pages rebuilt from a real log".

use std::f64::consts::PI;

use anyhow::{Context, Result, ensure};

use super::motec::{Log, LogChannel};
use super::{DataSet, Field, StreamShape};

/// Length of a physics page.
pub(crate) const PAGE_BYTES: usize = 800;
/// Pages per second.
pub(crate) const HZ: u64 = 100;
/// Offset of `speedKmh`.
pub(crate) const SPEED_OFFSET: usize = 28;
/// Offset of the page counter.
pub(crate) const PACKET_ID_OFFSET: usize = 0;
/// Physics steps between two pages.
pub(crate) const PACKET_ID_STEP: i32 = 3;

/// Fields of the page: name, offset, whether float, count. All values are 4 bytes.
const FIELDS: [(&str, usize, bool, usize); 85] = [
    ("packetId", 0, false, 1),
    ("gas", 4, true, 1),
    ("brake", 8, true, 1),
    ("fuel", 12, true, 1),
    ("gear", 16, false, 1),
    ("rpms", 20, false, 1),
    ("steerAngle", 24, true, 1),
    ("speedKmh", 28, true, 1),
    ("velocity", 32, true, 3),
    ("accG", 44, true, 3),
    ("wheelSlip", 56, true, 4),
    ("wheelLoad", 72, true, 4),
    ("wheelsPressure", 88, true, 4),
    ("wheelAngularSpeed", 104, true, 4),
    ("tyreWear", 120, true, 4),
    ("tyreDirtyLevel", 136, true, 4),
    ("tyreCoreTemperature", 152, true, 4),
    ("camberRAD", 168, true, 4),
    ("suspensionTravel", 184, true, 4),
    ("drs", 200, true, 1),
    ("tc", 204, true, 1),
    ("heading", 208, true, 1),
    ("pitch", 212, true, 1),
    ("roll", 216, true, 1),
    ("cgHeight", 220, true, 1),
    ("carDamage", 224, true, 5),
    ("numberOfTyresOut", 244, false, 1),
    ("pitLimiterOn", 248, false, 1),
    ("abs", 252, true, 1),
    ("kersCharge", 256, true, 1),
    ("kersInput", 260, true, 1),
    ("autoShifterOn", 264, false, 1),
    ("rideHeight", 268, true, 2),
    ("turboBoost", 276, true, 1),
    ("ballast", 280, true, 1),
    ("airDensity", 284, true, 1),
    ("airTemp", 288, true, 1),
    ("roadTemp", 292, true, 1),
    ("localAngularVel", 296, true, 3),
    ("finalFF", 308, true, 1),
    ("performanceMeter", 312, true, 1),
    ("engineBrake", 316, false, 1),
    ("ersRecoveryLevel", 320, false, 1),
    ("ersPowerLevel", 324, false, 1),
    ("ersHeatCharging", 328, false, 1),
    ("ersIsCharging", 332, false, 1),
    ("kersCurrentKJ", 336, true, 1),
    ("drsAvailable", 340, false, 1),
    ("drsEnabled", 344, false, 1),
    ("brakeTemp", 348, true, 4),
    ("clutch", 364, true, 1),
    ("tyreTempI", 368, true, 4),
    ("tyreTempM", 384, true, 4),
    ("tyreTempO", 400, true, 4),
    ("isAIControlled", 416, false, 1),
    ("tyreContactPoint", 420, true, 12),
    ("tyreContactNormal", 468, true, 12),
    ("tyreContactHeading", 516, true, 12),
    ("brakeBias", 564, true, 1),
    ("localVelocity", 568, true, 3),
    ("P2PActivations", 580, false, 1),
    ("P2PStatus", 584, false, 1),
    ("currentMaxRpm", 588, false, 1),
    ("mz", 592, true, 4),
    ("fx", 608, true, 4),
    ("fy", 624, true, 4),
    ("slipRatio", 640, true, 4),
    ("slipAngle", 656, true, 4),
    ("tcInAction", 672, false, 1),
    ("absInAction", 676, false, 1),
    ("suspensionDamage", 680, true, 4),
    ("tyreTemp", 696, true, 4),
    ("waterTemp", 712, true, 1),
    ("brakePressure", 716, true, 4),
    ("frontBrakeCompound", 732, false, 1),
    ("rearBrakeCompound", 736, false, 1),
    ("padLife", 740, true, 4),
    ("discLife", 756, true, 4),
    ("ignitionOn", 772, false, 1),
    ("starterEngineOn", 776, false, 1),
    ("isEngineRunning", 780, false, 1),
    ("kerbVibration", 784, true, 1),
    ("slipVibrations", 788, true, 1),
    ("gVibrations", 792, true, 1),
    ("absVibrations", 796, true, 1),
];

/// Returns the layout of the physics page.
pub(crate) fn stream() -> StreamShape {
    let fields = FIELDS.iter().map(|&(name, offset, float, count)| Field::new(name, offset, 4, float, count)).collect();
    StreamShape { name: "physics".into(), row_bytes: PAGE_BYTES, fields }
}

/// Returns the pages of a log as a data set.
pub(crate) fn data_set(name: &str, log: &Log) -> Result<DataSet> {
    Ok(DataSet::of_one_stream(name, stream(), SPEED_OFFSET, build(log)?, HZ))
}

/// Pages under construction: rows of [`PAGE_BYTES`], written column by column.
struct Pages(Vec<u8>);

impl Pages {
    fn put_bits(&mut self, offset: usize, values: impl Iterator<Item = [u8; 4]>) {
        for (page, value) in self.0.chunks_exact_mut(PAGE_BYTES).zip(values) {
            if let Some(place) = page.get_mut(offset..offset + 4) {
                place.copy_from_slice(&value);
            }
        }
    }

    fn put(&mut self, offset: usize, values: impl Iterator<Item = f32>) {
        self.put_bits(offset, values.map(f32::to_le_bytes));
    }

    fn put_ints(&mut self, offset: usize, values: impl Iterator<Item = i32>) {
        self.put_bits(offset, values.map(i32::to_le_bytes));
    }
}

/// A log resampled to the page rate.
struct Resampled<'a> {
    log: &'a Log,
    seconds: Vec<f64>,
}

impl Resampled<'_> {
    fn channel(&self, name: &str) -> Result<&LogChannel> {
        let channel = self.log.get(name).with_context(|| format!("the log has no channel {name}"))?;
        ensure!(!channel.values.is_empty(), "channel {name} is empty");
        Ok(channel)
    }

    /// Interpolates linearly between samples; the last one is held.
    fn smooth(&self, name: &str) -> Result<Vec<f32>> {
        let channel = self.channel(name)?;
        let rate = f64::from(channel.rate_hz);
        let sample = |i: usize| (i as f64 / rate, channel.values.get(i).copied());
        let at = |seconds: f64| {
            let mut i = (seconds * rate) as usize;
            // The product may round past a sample: compare with the sample's own time.
            while i > 0 && sample(i).0 > seconds {
                i -= 1;
            }
            while sample(i + 1).0 <= seconds {
                i += 1;
            }
            match (sample(i), sample(i + 1)) {
                ((x0, Some(y0)), (x1, Some(y1))) => (y1 - y0) / (x1 - x0) * (seconds - x0) + y0,
                _ => channel.values.last().copied().unwrap_or_default(),
            }
        };
        Ok(self.seconds.iter().map(|&seconds| at(seconds) as f32).collect())
    }

    /// Holds each sample until the next.
    fn held(&self, name: &str) -> Result<Vec<f64>> {
        let channel = self.channel(name)?;
        let last = channel.values.len() - 1;
        let at = |seconds: &f64| (seconds * f64::from(channel.rate_hz)) as usize;
        Ok(self.seconds.iter().map(|t| channel.values.get(at(t).min(last)).copied().unwrap_or_default()).collect())
    }
}

fn running_sum(values: impl Iterator<Item = f64>) -> impl Iterator<Item = f64> {
    values.scan(0.0, |sum, value| {
        *sum += value;
        Some(*sum)
    })
}

/// Rebuilds pages. Mixes single and double precision like the tool that the known ratios come from, so that the bytes
/// agree.
pub(crate) fn build(log: &Log) -> Result<Vec<u8>> {
    let speed = log.get("SPEED").context("the log has no channel SPEED")?;
    let count = speed.values.len() * HZ as usize / speed.rate_hz as usize;
    let hz = HZ as f64;
    let log = Resampled { log, seconds: (0..count).map(|i| i as f64 / hz).collect() };
    let mut pages = Pages(vec![0; count * PAGE_BYTES]);

    let scaled = |name: &str, by: f32| log.smooth(name).map(|v| v.into_iter().map(|v| v / by).collect::<Vec<f32>>());
    let (mps, yaw) = (log.smooth("SPEED")?, log.smooth("ROTY")?);
    let (g_lat, g_lon) = (log.smooth("G_LAT")?, log.smooth("G_LON")?);
    let (gas, steer) = (scaled("THROTTLE", 100.0)?, scaled("STEERANGLE", 240.0)?);
    let heading = running_sum(yaw.iter().map(|&v| f64::from(v)));
    let heading: Vec<f64> = heading.map(|sum| (sum / hz + PI).rem_euclid(2.0 * PI) - PI).collect();
    let velocity = |turn: fn(f64) -> f64| -> Vec<f64> {
        mps.iter().zip(&heading).map(|(&v, &angle)| f64::from(v) * turn(angle)).collect()
    };
    let (vx, vz) = (velocity(f64::sin), velocity(f64::cos));
    let position = |v: &[f64]| -> Vec<f64> { running_sum(v.iter().copied()).map(|sum| sum / hz).collect() };
    let (x, z) = (position(&vx), position(&vz));

    pages.put_ints(PACKET_ID_OFFSET, (0..count as i32).map(|i| 1000 + PACKET_ID_STEP * i));
    pages.put(4, gas.iter().copied());
    pages.put(8, scaled("BRAKE", 100.0)?.into_iter());
    let burnt = gas.iter().zip(&mps).scan(0f32, |sum, (gas, mps)| {
        *sum += gas * mps;
        Some(*sum)
    });
    pages.put(12, burnt.map(|sum| 62.0 - sum / hz as f32 * 6e-5));
    pages.put_ints(16, log.held("GEAR")?.into_iter().map(|gear| gear as i32 + 1));
    pages.put_ints(20, log.smooth("RPMS")?.into_iter().map(|rpm| rpm as i32));
    pages.put(24, steer.iter().copied());
    pages.put(SPEED_OFFSET, mps.iter().map(|v| v * 3.6));
    pages.put(32, vx.iter().map(|&v| v as f32));
    pages.put(36, log.seconds.iter().map(|t| (0.02 * t.sin()) as f32));
    pages.put(40, vz.iter().map(|&v| v as f32));
    pages.put(44, g_lat.iter().copied());
    pages.put(48, log.seconds.iter().map(|t| (1.0 + 0.05 * (7.1 * t).sin()) as f32));
    pages.put(52, g_lon.iter().copied());
    put_wheels(&mut pages, &log, &mps, &heading, (&x, &z))?;

    pages.put(204, log.held("TC")?.into_iter().map(|v| v as f32));
    pages.put(208, heading.iter().map(|&v| v as f32));
    pages.put(212, g_lon.iter().map(|v| v * 0.01));
    pages.put(216, g_lat.iter().map(|v| v * 0.02));
    pages.put(252, log.held("ABS")?.into_iter().map(|v| v as f32));
    pages.put(288, std::iter::repeat(26.0));
    pages.put(292, std::iter::repeat(31.0));
    pages.put(296, g_lat.iter().map(|v| v * 0.03));
    pages.put(300, yaw.iter().copied());
    pages.put(304, g_lon.iter().map(|v| v * 0.03));
    pages.put(308, steer.iter().zip(&mps).map(|(steer, mps)| steer * mps / 60.0));
    pages.put(364, scaled("CLUTCH", 100.0)?.into_iter());
    pages.put(564, std::iter::repeat(0.58));
    let sideways = vx.iter().zip(&vz).zip(&heading).map(|((vx, vz), angle)| vx * angle.cos() - vz * angle.sin());
    pages.put(568, sideways.map(|v| v as f32));
    pages.put(576, mps.iter().copied());
    Ok(pages.0)
}

/// Fills in the four wheels: slip, pressure, rotation, temperatures, suspension, contact.
fn put_wheels(
    pages: &mut Pages,
    log: &Resampled<'_>,
    mps: &[f32],
    heading: &[f64],
    (x, z): (&[f64], &[f64]),
) -> Result<()> {
    for (i, wheel) in ["LF", "RF", "LR", "RR"].iter().enumerate() {
        let smooth = |name: &str| log.smooth(&format!("{name}_{wheel}"));
        let wheel_mps = smooth("WHEEL_SPEED")?;
        pages.put(56 + 4 * i, wheel_mps.iter().zip(mps).map(|(wheel, mps)| (wheel - mps).abs() * 0.1));
        pages.put(88 + 4 * i, smooth("TYRE_PRESS")?.into_iter());
        pages.put(104 + 4 * i, wheel_mps.iter().map(|v| v / 0.33));
        pages.put(152 + 4 * i, smooth("TYRE_TAIR")?.into_iter().map(|v| v + 5.0));
        pages.put(184 + 4 * i, smooth("SUS_TRAVEL")?.into_iter().map(|v| v / 1000.0));
        pages.put(348 + 4 * i, smooth("BRAKE_TEMP")?.into_iter());
        let (right, back) = ((i % 2) as f64 * 1.6, (i / 2) as f64 * 2.5);
        pages.put(420 + 12 * i, x.iter().map(|v| (v + right) as f32));
        pages.put(428 + 12 * i, z.iter().map(|v| (v + back) as f32));
        pages.put(472 + 12 * i, std::iter::repeat(1.0));
        pages.put(516 + 12 * i, heading.iter().map(|v| v.sin() as f32));
        pages.put(524 + 12 * i, heading.iter().map(|v| v.cos() as f32));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::bytes::{f32_at, i32_at};
    use super::super::generated::made_up_log;
    use super::*;

    #[test]
    fn the_layout_is_200_words_without_gaps() {
        let columns = stream().columns();
        assert_eq!(columns.len(), 200);
        assert!(columns.iter().enumerate().all(|(i, column)| column.offset == 4 * i && column.width == 4));
    }

    #[test]
    fn samples_are_interpolated_and_the_last_is_held() {
        let mut log = made_up_log(1, 1);
        log.insert("SPEED".into(), LogChannel { rate_hz: 20, values: vec![10.0, 20.0] });
        let pages = build(&log).unwrap();
        let kmh: Vec<f32> = pages.chunks_exact(PAGE_BYTES).map(|page| f32_at(page, SPEED_OFFSET)).collect();
        let expected = [10.0f32, 12.0, 14.0, 16.0, 18.0, 20.0, 20.0, 20.0, 20.0, 20.0].map(|mps| mps * 3.6);
        assert!(kmh.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-4), "{kmh:?}");
        assert_eq!(i32_at(&pages[PAGE_BYTES..], PACKET_ID_OFFSET), 1003);
    }

    #[test]
    fn a_log_without_a_needed_channel_is_an_error_that_names_it() {
        let mut log = made_up_log(1, 1);
        log.remove("BRAKE_TEMP_LR");
        assert!(format!("{:#}", build(&log).unwrap_err()).contains("BRAKE_TEMP_LR"));
    }
}
