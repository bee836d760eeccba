//! A setting and its origin.

use std::fmt;

/// Where a setting comes from. Flags override the environment, which overrides defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A command-line flag.
    Flag(&'static str),
    /// An environment variable.
    Environment(&'static str),
    /// The default.
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
    /// Name of the setting.
    pub name: &'static str,
    /// Its value; `None` if it is unset.
    pub value: Option<String>,
    /// Where the value comes from.
    pub origin: Origin,
}
