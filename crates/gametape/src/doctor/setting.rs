//! A setting and who made it.

use std::fmt;

/// Where a setting comes from. Flags beat the environment, the environment beats defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// This flag.
    Flag(&'static str),
    /// This environment variable.
    Environment(&'static str),
    /// Nobody set it.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "flag {name}"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// What is set.
    pub name: &'static str,
    /// To what; `None` if to nothing.
    pub value: Option<String>,
    /// By whom.
    pub origin: Origin,
}
