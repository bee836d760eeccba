//! The output of `gametape doctor`. The JSON field names are stable: other programs rely on them.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use gametape::doctor::{Diagnosis, Finding, Setting};
use serde::Serialize;

use crate::human;

/// All findings.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// Whether a recorder started now would record a game.
    can_record: bool,
    /// Ids of the games that are ready to be recorded.
    ready: Vec<&'static str>,
    findings: Vec<ReportFinding>,
    settings: Vec<ReportSetting>,
}

#[derive(Debug, Serialize)]
struct ReportFinding {
    game: Option<&'static str>,
    what: &'static str,
    /// `ok`, `note` or `problem`.
    state: &'static str,
    text: String,
    what_to_do: Option<String>,
}

#[derive(Debug, Serialize)]
struct ReportSetting {
    name: &'static str,
    value: Option<String>,
    from: String,
}

impl Report {
    pub(super) fn of(diagnosis: &Diagnosis, settings: &[Setting]) -> Self {
        let finding = |finding: &Finding| ReportFinding {
            game: finding.game,
            what: finding.subject.as_str(),
            state: finding.level.as_str(),
            text: finding.text.clone(),
            what_to_do: finding.what_to_do.clone(),
        };
        let setting = |setting: &Setting| ReportSetting {
            name: setting.name,
            value: setting.value.clone(),
            from: setting.origin.to_string(),
        };
        Self {
            can_record: diagnosis.can_record(),
            ready: diagnosis.ready.clone(),
            findings: diagnosis.findings.iter().map(finding).collect(),
            settings: settings.iter().map(setting).collect(),
        }
    }
}

/// One line per finding and setting, for programs that read lines.
pub(super) fn lines(report: &Report) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    for finding in &report.findings {
        let ReportFinding { game, what, state, text, what_to_do } = finding;
        let game = game.map(|game| format!("{game}: ")).unwrap_or_default();
        let next = what_to_do.as_ref().map(|next| format!("; to do: {next}")).unwrap_or_default();
        writeln!(out, "{state}: {game}{what}: {}", human::safe(&format!("{text}{next}")))?;
    }
    for ReportSetting { name, value, from } in &report.settings {
        writeln!(out, "setting: {name}: {} ({from})", human::safe(value.as_deref().unwrap_or("-")))?;
    }
    Ok(out)
}

/// A table, with the next step below each finding.
pub(super) fn table(report: &Report) -> io::Result<Vec<u8>> {
    let longest = |texts: &mut dyn Iterator<Item = &str>| texts.map(str::len).max().unwrap_or_default();
    let games = longest(&mut report.findings.iter().map(|finding| finding.game.unwrap_or("-")));
    let whats = longest(&mut report.findings.iter().map(|finding| finding.what));
    let names = longest(&mut report.settings.iter().map(|setting| setting.name));
    let mut out = Vec::new();
    for ReportFinding { game, what, state, text, what_to_do } in &report.findings {
        let style = style(state);
        let game = game.unwrap_or("-");
        writeln!(out, "  {style}{state:<7}{style:#}  {game:<games$}  {what:<whats$}  {}", human::safe(text))?;
        if let Some(next) = what_to_do {
            writeln!(out, "{:indent$}-> {}", "", human::safe(next), indent = 13 + games + whats)?;
        }
    }
    writeln!(out)?;
    for ReportSetting { name, value, from } in &report.settings {
        writeln!(out, "  {name:<names$}  {} ({from})", human::safe(value.as_deref().unwrap_or("-")))?;
    }
    Ok(out)
}

fn style(state: &str) -> Style {
    match state {
        "ok" => AnsiColor::Green.on_default(),
        "problem" => AnsiColor::Red.on_default().bold(),
        _ => AnsiColor::Yellow.on_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_table_hold_the_same_and_cannot_steer_a_terminal() {
        let report = Report {
            can_record: false,
            ready: Vec::new(),
            findings: vec![ReportFinding {
                game: Some("iracing"),
                what: "memory",
                state: "problem",
                text: "found\u{1b}[2J\nthis".into(),
                what_to_do: Some("do that".into()),
            }],
            settings: vec![ReportSetting { name: "names", value: None, from: "default".into() }],
        };
        let plain = String::from_utf8(lines(&report).unwrap()).unwrap();
        assert_eq!(
            plain,
            "problem: iracing: memory: found\\u{1b}[2J\\nthis; to do: do that\nsetting: names: - (default)\n"
        );
        let table = String::from_utf8(table(&report).unwrap()).unwrap();
        assert!(table.contains("found\\u{1b}[2J\\nthis\n") && table.contains("-> do that\n"), "{table}");
    }
}
