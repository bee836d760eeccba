//! How far the tables and rules of a game are proven.
use std::fmt;

/// How far the tables and rules of a game are proven. Each [`Game`](crate::Game) states it, so that users know what to expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proof {
    /// Tests decode bytes that the game itself produced, of every kind of frame that it has.
    RealBytes,
    /// Tests decode bytes that the game itself produced, but not of every kind of frame. The text says of which ones.
    SomeRealBytes(&'static str),
    /// Never seen on real bytes: everything follows descriptions of the format.
    DescriptionsOnly,
}

impl Proof {
    /// Returns a name for programs: `real-bytes`, `some-real-bytes` or `descriptions-only`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::RealBytes => "real-bytes",
            Self::SomeRealBytes(_) => "some-real-bytes",
            Self::DescriptionsOnly => "descriptions-only",
        }
    }

    /// Returns which frames were seen, if it is not all or none of them.
    #[must_use]
    pub fn what(self) -> Option<&'static str> {
        match self {
            Self::SomeRealBytes(what) => Some(what),
            _ => None,
        }
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RealBytes => f.write_str("on real bytes"),
            Self::SomeRealBytes(what) => write!(f, "on some real bytes: {what}"),
            Self::DescriptionsOnly => f.write_str("never seen on real bytes"),
        }
    }
}
