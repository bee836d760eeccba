//! Extracts what laps need from the session info string: sector starts, track length and driver.
//!
//! No input is an error.
use super::session_info::{entry, section, value};

/// Upper bound for the number of sectors: more than any track has.
const MOST_SECTORS: usize = 64;

/// The parts of the session info string that laps need.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LapText {
    /// `SectorStartPct` of each sector, the first at 0; empty unless they are increasing.
    pub(super) sector_starts: Vec<f32>,
    /// `TrackLength`.
    pub(super) length_m: Option<f32>,
    /// `UserName` of the player's car.
    pub(super) driver: Option<String>,
    /// From `SubSessionID`: sessions without one are offline.
    pub(super) online: Option<bool>,
}

pub(super) fn lap_text(text: &str) -> LapText {
    let weekend = |key| value(section(text, "WeekendInfo"), 1, key);
    let car: Option<i64> = value(section(text, "DriverInfo"), 1, "DriverCarIdx").and_then(|text| text.parse().ok());
    let driver = car.and_then(|car| entry(section(text, "DriverInfo"), "CarIdx", car, "UserName"));
    LapText {
        sector_starts: sector_starts(text),
        length_m: weekend("TrackLength").and_then(length_m),
        driver: driver.map(str::to_owned),
        online: weekend("SubSessionID").and_then(|id| id.parse::<i64>().ok()).map(|id| id > 0),
    }
}

fn sector_starts(text: &str) -> Vec<f32> {
    let lines = section(text, "SplitTimeInfo").filter(|line| line.key == "SectorStartPct");
    let starts: Vec<f32> = lines.filter_map(|line| line.value.parse().ok()).take(MOST_SECTORS).collect();
    let rise = starts.windows(2).all(|pair| matches!(pair, [one, next] if one < next));
    let inside = starts.iter().all(|start| (0.0..1.0).contains(start));
    let from_line = starts.first().is_some_and(|first| *first < 0.001);
    if rise && inside && from_line { starts } else { Vec::new() }
}

/// Parses a length such as `5.96 km`.
fn length_m(text: &str) -> Option<f32> {
    let km: f32 = text.strip_suffix("km")?.trim().parse().ok()?;
    Some(km * 1000.0).filter(|metres| metres.is_finite() && *metres > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "---\nWeekendInfo:\n TrackLength: 5.96 km\n SubSessionID: 7\n\nDriverInfo:\n DriverCarIdx: 1\n Drivers:\n - CarIdx: 0\n   \
        UserName: Driver 2\n - CarIdx: 1\n   UserName: Driver 1\n\nSplitTimeInfo:\n Sectors:\n - SectorNum: 0\n   SectorStartPct: 0.000000\n \
        - SectorNum: 1\n   SectorStartPct: 0.402000\n";

    #[test]
    fn sectors_length_and_driver_are_found() {
        let found = lap_text(TEXT);
        assert_eq!((found.sector_starts, found.length_m), (vec![0.0, 0.402], Some(5960.0)));
        assert_eq!((found.driver.as_deref(), found.online), (Some("Driver 1"), Some(true)));
    }

    #[test]
    fn invalid_sectors_are_ignored() {
        for wrong in ["0.9\n   SectorStartPct: 0.1", "nan", "-1", "7"] {
            let text = TEXT.replace("0.402000", wrong);
            assert!(lap_text(&text).sector_starts.len() < 2, "{wrong}");
        }
        assert_eq!(lap_text(""), LapText::default());
        (0..TEXT.len()).for_each(|end| drop(lap_text(&TEXT[..end])));
    }
}
