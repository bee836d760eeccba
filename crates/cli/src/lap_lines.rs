//! Prints laps while they are driven: takes tracker events, returns rows of the table that `gametape laps` prints.

use gametape::laps::{Event, Id, Lap, Tracked};

use crate::commands::laps_report::ReportSession;
use crate::commands::laps_table;

/// The lines of one recording.
#[derive(Default)]
pub(crate) struct LapLines {
    tracked: Tracked,
    /// The session whose title was printed last.
    titled: Option<Id>,
}

impl LapLines {
    /// Returns the lines to print for an event. `kept` is false if the event is not stored.
    pub(crate) fn of(&mut self, event: &Event, kept: bool) -> Vec<String> {
        self.tracked.take(event.clone());
        match event {
            Event::LapFinal(lap) | Event::LapAborted(lap) | Event::LapAmended(lap) => self.lap(lap, kept),
            _ => Vec::new(),
        }
    }

    fn lap(&mut self, lap: &Lap, kept: bool) -> Vec<String> {
        let session = self.tracked.sessions.iter().rev().find(|known| known.session.id == lap.session);
        let Some(session) = session.map(ReportSession::of) else { return Vec::new() };
        let Some(row) = session.document.laps.iter().find(|row| row.tape_lap == lap.tape_lap) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        let mut write = || {
            if self.titled.replace(lap.session) != Some(lap.session) {
                laps_table::write_title(&mut out, &session)?;
                laps_table::write_head(&mut out, laps_table::sector_columns(&session))?;
            }
            laps_table::write_lap(&mut out, &session, row)
        };
        // Writing to memory cannot fail.
        let _ = write();
        let text = String::from_utf8_lossy(&out).into_owned();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if !kept && lines.len() > 1 {
            lines.insert(1, "  playback of a tape: its laps are shown but not stored".to_owned());
        }
        lines
    }
}
