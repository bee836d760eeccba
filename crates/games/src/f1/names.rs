//! Names for the ids in packets: tracks, sessions, teams, tyres, weather.
use super::header::Header;
use crate::session_kind::SessionKind;

/// Returns the name of a track and, if it is not the usual one, its layout. `None` if the id is not known.
#[must_use]
pub fn track_name(id: i8) -> Option<(&'static str, Option<&'static str>)> {
    let name = match id {
        0 => "Melbourne",
        1 => "Paul Ricard",
        2 => "Shanghai",
        3 | 21 => "Sakhir",
        4 => "Catalunya",
        5 => "Monaco",
        6 => "Montreal",
        7 | 22 | 39 => "Silverstone",
        8 => "Hockenheim",
        9 => "Hungaroring",
        10 => "Spa",
        11 => "Monza",
        12 => "Singapore",
        13 | 24 => "Suzuka",
        14 => "Abu Dhabi",
        15 | 23 => "Texas",
        16 => "Brazil",
        17 | 40 => "Austria",
        18 => "Sochi",
        19 => "Mexico",
        20 => "Baku",
        25 => "Hanoi",
        26 | 41 => "Zandvoort",
        27 => "Imola",
        28 => "Portimao",
        29 => "Jeddah",
        30 => "Miami",
        31 => "Las Vegas",
        32 => "Losail",
        42 => "Madrid",
        _ => return None,
    };
    let layout = match id {
        21..=24 => Some("short"),
        39..=41 => Some("reverse"),
        _ => None,
    };
    Some((name, layout))
}

/// Session types of the formats up to 2023, by number.
const SESSIONS_TO_2023: [&str; 14] = [
    "unknown",
    "Practice 1",
    "Practice 2",
    "Practice 3",
    "Short practice",
    "Qualifying 1",
    "Qualifying 2",
    "Qualifying 3",
    "Short qualifying",
    "One-shot qualifying",
    "Race",
    "Race 2",
    "Race 3",
    "Time trial",
];

/// Session types since format 2024, by number: five were added before the races.
const SESSIONS_SINCE_2024: [&str; 19] = [
    "unknown",
    "Practice 1",
    "Practice 2",
    "Practice 3",
    "Short practice",
    "Qualifying 1",
    "Qualifying 2",
    "Qualifying 3",
    "Short qualifying",
    "One-shot qualifying",
    "Sprint shoot-out 1",
    "Sprint shoot-out 2",
    "Sprint shoot-out 3",
    "Short sprint shoot-out",
    "One-shot sprint shoot-out",
    "Race",
    "Race 2",
    "Race 3",
    "Time trial",
];

/// Returns the name of a session type; `None` if it is unknown. `game_year` is that of the header.
///
/// A later game that sends format 2023 keeps its own numbering: a real packet of that format has type 18, a time trial.
#[must_use]
pub fn session_name(format: u16, game_year: Option<u8>, session_type: u8) -> Option<&'static str> {
    let number = usize::from(session_type);
    let of_its_year = format < 2023 || game_year == Some(23);
    let old = format < 2024 && of_its_year && number < SESSIONS_TO_2023.len();
    let names: &[&str] = if old { &SESSIONS_TO_2023 } else { &SESSIONS_SINCE_2024 };
    names.get(number).copied().filter(|name| *name != "unknown")
}

/// Returns the kind of session with this name.
pub(super) fn session_kind(name: &str) -> SessionKind {
    let words = [
        ("One-shot", SessionKind::Superpole),
        ("ractice", SessionKind::Practice),
        ("ualifying", SessionKind::Qualifying),
        ("shoot-out", SessionKind::Qualifying),
        ("Race", SessionKind::Race),
        ("Time trial", SessionKind::TimeTrial),
    ];
    words.into_iter().find(|(word, _)| name.contains(word)).map_or(SessionKind::Unknown, |(_, kind)| kind)
}

/// Returns the season that a packet describes: the year of the game, which may be later than the packet format.
pub(super) fn season(format: u16, header: &Header) -> u16 {
    match header.game_year {
        Some(year @ 23..=99) => 2000 + u16::from(year),
        _ => format,
    }
}

/// Returns the name of a team in a season; `None` if the id is not known. `2026` teams have ids of their own.
#[must_use]
pub fn team_name(season: u16, id: u16) -> Option<&'static str> {
    Some(match (id, season) {
        (0 | 476, _) => "Mercedes",
        (1 | 477, _) => "Ferrari",
        (2 | 478, _) => "Red Bull Racing",
        (3 | 479, _) => "Williams",
        (4 | 480, _) => "Aston Martin",
        (5 | 481, _) => "Alpine",
        (6, ..2024) => "AlphaTauri",
        (6 | 482, _) => "RB",
        (7 | 483, _) => "Haas",
        (8 | 484, _) => "McLaren",
        (9, ..2024) => "Alfa Romeo",
        (9, _) => "Sauber",
        (485, _) => "Audi",
        (486, _) => "Cadillac",
        (255 | 65535, _) => "My Team",
        _ => return None,
    })
}

/// Returns the name of a tyre compound as the game shows it (`visualTyreCompound`); `None` if it is not known.
#[must_use]
pub fn tyre_name(visual_compound: u8) -> Option<&'static str> {
    Some(match visual_compound {
        7 => "inter",
        8 => "wet",
        9 => "classic dry",
        10 => "classic wet",
        15 => "F2 wet",
        16 => "soft",
        17 => "medium",
        18 => "hard",
        19 => "F2 super soft",
        20 => "F2 soft",
        21 => "F2 medium",
        22 => "F2 hard",
        _ => return None,
    })
}

/// Returns the name of the rain of a weather id; `None` if the number is not known.
pub(super) fn rain(weather: u8) -> Option<&'static str> {
    match weather {
        0..=2 => Some("no rain"),
        3 => Some("light rain"),
        4 => Some("heavy rain"),
        5 => Some("storm"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_types_were_renumbered_in_2024() {
        let name = |format, year, number| session_name(format, year, number);
        assert_eq!((name(2022, None, 10), name(2022, None, 13)), (Some("Race"), Some("Time trial")));
        assert_eq!(name(2023, Some(23), 10), Some("Race"));
        assert_eq!((name(2024, Some(24), 10), name(2024, Some(25), 15)), (Some("Sprint shoot-out 1"), Some("Race")));
        // A later game in format 2023.
        assert_eq!(
            (name(2023, Some(0), 18), name(2023, Some(25), 10)),
            (Some("Time trial"), Some("Sprint shoot-out 1"))
        );
        assert_eq!((name(2025, Some(25), 0), name(2025, Some(25), 19), name(2022, None, 255)), (None, None, None));
    }

    #[test]
    fn kinds_of_session_follow_from_their_names() {
        let kinds: Vec<_> = SESSIONS_SINCE_2024.iter().map(|name| session_kind(name)).collect();
        assert_eq!(kinds[0], SessionKind::Unknown);
        assert!(kinds[1..5].iter().all(|kind| *kind == SessionKind::Practice));
        assert!(kinds[5..9].iter().all(|kind| *kind == SessionKind::Qualifying));
        assert!(kinds[10..14].iter().all(|kind| *kind == SessionKind::Qualifying));
        assert_eq!((kinds[9], kinds[14]), (SessionKind::Superpole, SessionKind::Superpole));
        assert!(kinds[15..18].iter().all(|kind| *kind == SessionKind::Race));
        assert_eq!(kinds[18], SessionKind::TimeTrial);
    }

    #[test]
    fn teams_and_tracks_have_the_names_of_their_season_and_layout() {
        assert_eq!((team_name(2022, 6), team_name(2025, 6)), (Some("AlphaTauri"), Some("RB")));
        assert_eq!((team_name(2026, 485), team_name(2025, 41)), (Some("Audi"), None));
        assert_eq!(track_name(40), Some(("Austria", Some("reverse"))));
        assert_eq!((track_name(10), track_name(-1)), (Some(("Spa", None)), None));
    }
}
