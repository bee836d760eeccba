//! What the terminal can show: colours, characters beyond ASCII, bold and reversed text. What a colour says, a sign or a word says too.

use ratatui::style::{Color, Modifier, Style};

/// What may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) colour: bool,
    pub(crate) unicode: bool,
    /// Bold, dim and reversed text.
    pub(crate) attributes: bool,
}

impl Look {
    /// As the environment says.
    pub(crate) fn of_environment() -> Self {
        Self::of(|name| std::env::var(name).ok(), cfg!(windows))
    }

    /// As variables say: `NO_COLOR`, `TERM`, and the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set.
    pub(super) fn of(variable: impl Fn(&str) -> Option<String>, is_windows: bool) -> Self {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let dumb = set("TERM").as_deref() == Some("dumb");
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default().to_lowercase();
        // The console of Windows says nothing about itself, and can.
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

    /// Headings and the figures that matter.
    pub(crate) fn strong(self) -> Style {
        self.style(None, Some(Modifier::BOLD))
    }

    /// Names of things, hints.
    pub(crate) fn quiet(self) -> Style {
        self.style(None, Some(Modifier::DIM))
    }

    /// The best of its kind; `*` says so too.
    pub(crate) fn best(self) -> Style {
        self.style(Some(Color::Magenta), Some(Modifier::BOLD))
    }

    /// Time that is lost; `+` says so too.
    pub(crate) fn slower(self) -> Style {
        self.style(Some(Color::Red), None)
    }

    /// Time that is won; `-` says so too.
    pub(crate) fn faster(self) -> Style {
        self.style(Some(Color::Green), None)
    }

    /// Something is not as it should be.
    pub(crate) fn warning(self) -> Style {
        self.style(Some(Color::Yellow), Some(Modifier::BOLD))
    }

    /// What is chosen; `>` says so too.
    pub(crate) fn picked(self) -> Style {
        self.style(None, Some(Modifier::REVERSED))
    }

    /// The engine.
    pub(crate) fn rpm(self) -> Style {
        self.style(Some(Color::Cyan), None)
    }

    /// One of two, where there are two.
    pub(crate) fn either(self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.unicode { unicode } else { ascii }
    }

    /// Between two facts.
    pub(crate) fn dot(self) -> &'static str {
        self.either(" · ", ", ")
    }
}
