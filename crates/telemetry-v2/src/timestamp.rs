//! The only well-known type of protobuf that the schemas use, defined here to save a dependency.

/// A point in time: seconds and nanoseconds since 1970 (`google.protobuf.Timestamp`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, prost::Message)]
pub struct Timestamp {
    /// Seconds since 1970-01-01 00:00 UTC.
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    /// 0 to 999,999,999, also before 1970.
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

const NANOS_PER_SECOND: i128 = 1_000_000_000;

impl Timestamp {
    /// Converts nanoseconds since 1970; `None` if they do not fit.
    pub fn from_unix_nanos(nanos: i128) -> Option<Self> {
        let seconds = i64::try_from(nanos.div_euclid(NANOS_PER_SECOND)).ok()?;
        Some(Self { seconds, nanos: i32::try_from(nanos.rem_euclid(NANOS_PER_SECOND)).ok()? })
    }

    /// Nanoseconds since 1970.
    pub fn unix_nanos(&self) -> i128 {
        i128::from(self.seconds) * NANOS_PER_SECOND + i128::from(self.nanos)
    }
}

impl From<std::time::SystemTime> for Timestamp {
    fn from(time: std::time::SystemTime) -> Self {
        let nanos = match time.duration_since(std::time::UNIX_EPOCH) {
            Ok(after) => i128::try_from(after.as_nanos()).unwrap_or(i128::MAX),
            Err(before) => i128::try_from(before.duration().as_nanos()).map_or(i128::MIN, |nanos| -nanos),
        };
        Self::from_unix_nanos(nanos).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nanoseconds_come_back_also_before_1970() {
        for nanos in [0, 1, -1, 1_772_197_642_912_345_678, -1_500_000_000] {
            let time = Timestamp::from_unix_nanos(nanos).unwrap();
            assert!((0..1_000_000_000).contains(&time.nanos));
            assert_eq!(time.unix_nanos(), nanos);
        }
        assert_eq!(Timestamp::from_unix_nanos(i128::MAX), None);
    }
}
