//! Names for the numbers that the games send: class letters, and the tracks of Motorsport (2023).
use super::Series;
use super::packet::CarId;

/// Returns a description of the car, such as `1651, class S2 900`. There is no list of names: the games have more than a thousand cars.
pub(super) fn car_text(series: Series, car: CarId) -> String {
    let CarId { ordinal, performance, .. } = car;
    class_letters(series, car).map_or_else(
        || format!("{ordinal}, class {performance}"),
        |letters| format!("{ordinal}, class {letters} {performance}"),
    )
}

/// Returns the letters of the car's class; `None` if the class is unknown.
fn class_letters(series: Series, car: CarId) -> Option<&'static str> {
    const MOTORSPORT: [&str; 9] = ["E", "D", "C", "B", "A", "S", "R", "P", "X"];
    const HORIZON: [&str; 8] = ["D", "C", "B", "A", "S1", "S2", "R", "X"];
    let class = usize::try_from(car.class).ok()?;
    match series {
        Series::Motorsport => MOTORSPORT.get(class).copied(),
        // Horizon 4 and 5 have no class R: their sixth class, with the highest index, is X.
        Series::Horizon if class == 6 && car.performance == 999 => Some("X"),
        Series::Horizon => HORIZON.get(class).copied(),
    }
}

/// A track layout of Motorsport (2023).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TrackName {
    number: i32,
    pub(super) track: &'static str,
    pub(super) layout: &'static str,
    /// Length, rounded to 10 m.
    pub(super) km: f32,
}

/// Returns the track with this number; `None` if it is not known.
pub(super) fn track_name(number: i32) -> Option<&'static TrackName> {
    TRACKS.iter().find(|track| track.number == number)
}

const fn track(number: i32, track: &'static str, layout: &'static str, km: f32) -> TrackName {
    TrackName { number, track, layout, km }
}

/// Known tracks, sorted by number.
const TRACKS: &[TrackName] = &[
    track(0, "WeatherTech Raceway Laguna Seca", "Full", 3.6),
    track(1, "WeatherTech Raceway Laguna Seca", "Short", 2.96),
    track(3, "Road America", "Full", 6.52),
    track(5, "Road America", "East Route", 3.52),
    track(21, "Silverstone Racing Circuit", "Grand Prix", 5.89),
    track(22, "Silverstone Racing Circuit", "National", 2.64),
    track(23, "Silverstone Racing Circuit", "International", 2.98),
    track(31, "Nürburgring", "Full", 25.38),
    track(32, "Nürburgring", "Nordschleife", 20.83),
    track(33, "Nürburgring", "GP", 5.15),
    track(34, "Nürburgring", "Sprint", 3.63),
    track(35, "Mugello Circuit", "Full", 5.25),
    track(36, "Mugello Circuit", "Club", 2.58),
    track(37, "Suzuka Circuit", "Full", 5.81),
    track(38, "Suzuka Circuit", "East", 2.25),
    track(67, "Maple Valley", "Full", 4.81),
    track(68, "Maple Valley", "Short", 1.85),
    track(70, "Maple Valley", "Short Reverse", 1.85),
    track(100, "Le Mans - Circuit International de la Sarthe", "Full", 13.63),
    track(101, "Le Mans - Circuit International de la Sarthe", "Old Mulsanne", 13.54),
    track(110, "Circuit de Barcelona-Catalunya", "Grand Prix", 4.66),
    track(111, "Circuit de Barcelona-Catalunya", "National", 3.07),
    track(113, "Circuit de Barcelona-Catalunya", "National Alt", 3.0),
    track(231, "Indianapolis Motor Speedway", "The Brickyard Speedway", 4.02),
    track(232, "Indianapolis Motor Speedway", "Grand Prix", 3.93),
    track(250, "Hockenheimring", "Full", 4.57),
    track(251, "Hockenheimring", "National", 3.69),
    track(252, "Hockenheimring", "Short", 2.64),
    track(510, "Yas Marina Circuit", "Full", 5.28),
    track(511, "Yas Marina Circuit", "North", 3.0),
    track(512, "Yas Marina Circuit", "South", 2.19),
    track(513, "Yas Marina Circuit", "North Corkscrew", 2.29),
    track(530, "Circuit de Spa-Francorchamps", "Full", 7.0),
    track(840, "Daytona Intl Speedway", "Sports Car", 5.78),
    track(841, "Daytona Intl Speedway", "Tri-Oval", 4.02),
    track(870, "Watkins Glen International Speedway", "Full", 5.55),
    track(873, "Watkins Glen International Speedway", "Short", 3.94),
    track(880, "Lime Rock Park", "Full", 2.41),
    track(882, "Lime Rock Park", "South Chicane", 2.37),
    track(883, "Lime Rock Park", "Full Alt", 2.41),
    track(990, "Virginia International Raceway", "Full", 5.26),
    track(991, "Virginia International Raceway", "North", 3.62),
    track(992, "Virginia International Raceway", "South", 2.66),
    track(995, "Virginia International Raceway", "Grand West", 6.6),
    track(996, "Virginia International Raceway", "Grand East", 6.76),
    track(1110, "Homestead-Miami Speedway", "Speedway", 2.41),
    track(1111, "Homestead-Miami Speedway", "Road", 3.56),
    track(1450, "Mid-Ohio Sports Car Course", "Full", 3.62),
    track(1452, "Mid-Ohio Sports Car Course", "Short", 2.82),
    track(1590, "Kyalami Grand Prix Circuit", "Grand Prix", 4.53),
    track(1630, "Grand Oak Raceway", "National", 3.73),
    track(1631, "Grand Oak Raceway", "Club", 2.62),
    track(1632, "Grand Oak Raceway", "National Reverse", 3.73),
    track(1640, "Hakone", "Grand Prix", 4.28),
    track(1641, "Hakone", "Club", 3.32),
    track(1642, "Hakone", "Club Reverse", 3.32),
    track(1660, "Eaglerock Speedway", "Oval", 1.64),
    track(1661, "Eaglerock Speedway", "Club", 1.72),
    track(1663, "Eaglerock Speedway", "Club Reverse", 1.72),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_are_sorted_and_all_there() {
        assert!(TRACKS.is_sorted_by(|one, next| one.number < next.number));
        assert_eq!(TRACKS.len(), 59);
        assert_eq!(track_name(1640).map(|track| (track.track, track.km)), Some(("Hakone", 4.28)));
        assert_eq!(track_name(2), None);
    }

    #[test]
    fn classes_have_the_letters_of_their_game() {
        let text = |series, class, performance| car_text(series, CarId { ordinal: 7, class, performance });
        assert_eq!(text(Series::Motorsport, 4, 693), "7, class A 693");
        assert_eq!(text(Series::Horizon, 5, 900), "7, class S2 900");
        assert_eq!(text(Series::Horizon, 6, 950), "7, class R 950");
        assert_eq!(text(Series::Horizon, 6, 999), "7, class X 999");
        assert_eq!(text(Series::Horizon, 7, 999), "7, class X 999");
        assert_eq!(text(Series::Horizon, 9, 999), "7, class 999");
    }
}
