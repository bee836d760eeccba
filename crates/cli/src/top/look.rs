//! Terminal capabilities: colours, characters beyond ASCII, bold and reversed text. Everything shown by colour is also shown by
//! a sign or a word.

use ratatui::style::{Color, Modifier, Style};

/// The capabilities to use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) colour: bool,
    pub(crate) unicode: bool,
    /// Bold, dim and reversed text.
    pub(crate) attributes: bool,
}

impl Look {
    /// Detects the capabilities from the environment.
    pub(crate) fn of_environment() -> Self {
        Self::of(|name| std::env::var(name).ok(), cfg!(windows))
    }

    /// Detects them from `NO_COLOR`, `TERM`, and the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set.
    pub(super) fn of(variable: impl Fn(&str) -> Option<String>, is_windows: bool) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").as_deref() == Some("dumb");
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default().to_lowercase();
        // The Windows console sets no locale, and supports UTF-8.
        let utf8 = locale.contains("utf-8") || locale.contains("utf8") || (locale.is_empty() && is_windows);
        Self { colour: set("NO_COLOR").is_none() && !dumb, unicode: utf8 && !dumb, attributes: !dumb }
    }

    fn style(self, colour: Option<Color>, attribute: Option<Modifier>) -> Style {
        let mut style = Style::new();
        if let Some(colour) = colour.filter(|_| self.colour) {
            style = style.fg(colour);
        }
        match attribute.filter(|_| self.attributes) {
            Some(attribute) => style.add_modifier(attribute),
            None => style,
        }
    }

    /// Headings and important figures.
    pub(crate) fn strong(self) -> Style {
        self.style(None, Some(Modifier::BOLD))
    }

    /// Labels and hints.
    pub(crate) fn quiet(self) -> Style {
        self.style(None, Some(Modifier::DIM))
    }

    /// A best time; also marked with `*`.
    pub(crate) fn best(self) -> Style {
        self.style(Some(Color::Magenta), Some(Modifier::BOLD))
    }

    /// Time lost; also marked with `+`.
    pub(crate) fn slower(self) -> Style {
        self.style(Some(Color::Red), None)
    }

    /// Time gained; also marked with `-`.
    pub(crate) fn faster(self) -> Style {
        self.style(Some(Color::Green), None)
    }

    /// Warnings.
    pub(crate) fn warning(self) -> Style {
        self.style(Some(Color::Yellow), Some(Modifier::BOLD))
    }

    /// The selected row; also marked with `>`.
    pub(crate) fn picked(self) -> Style {
        self.style(None, Some(Modifier::REVERSED))
    }

    /// The engine speed.
    pub(crate) fn rpm(self) -> Style {
        self.style(Some(Color::Cyan), None)
    }

    /// Returns the Unicode text if supported, else the ASCII text.
    pub(crate) fn either(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.unicode { unicode } else { ascii }
    }

    /// Returns the separator between two facts.
    pub(crate) fn dot(self) -> &'static str {
        self.either(" · ", ", ")
    }
}
