//! The text of the stream `laps.about`: lines of `key=value`.

/// What a lap file says about itself. Fields are `None` if it does not say.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LapFileAbout {
    /// Format and program, such as `MoTeC ADL`.
    pub format: Option<String>,
    /// Track.
    pub track: Option<String>,
    /// Car.
    pub car: Option<String>,
    /// Driver.
    pub driver: Option<String>,
    /// Kind of session, in the file's words.
    pub session: Option<String>,
    /// Length of a lap in metres, by the distance between line crossings.
    pub length_m: Option<f32>,
}

/// Longest text of a value, in characters. Texts of files are not trusted.
const LONGEST: usize = 200;

impl LapFileAbout {
    /// Returns the text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let Self { format, track, car, driver, session, length_m } = self;
        let mut text = String::new();
        let texts = [("format", format), ("track", track), ("car", car), ("driver", driver), ("session", session)];
        for (key, value) in texts {
            if let Some(value) = value {
                let plain = value.chars().filter(|letter| !letter.is_control()).take(LONGEST);
                text.extend(key.chars().chain(['=']).chain(plain).chain(['\n']));
            }
        }
        if let Some(length_m) = length_m {
            text.push_str(&format!("length_m={length_m}\n"));
        }
        text
    }

    /// Parses the text. Unknown keys are ignored.
    #[must_use]
    pub fn parse(text: &[u8]) -> Self {
        let mut about = Self::default();
        for line in String::from_utf8_lossy(text).lines() {
            let Some((key, value)) = line.split_once('=') else { continue };
            let said = || Some(value.trim().to_owned()).filter(|value| !value.is_empty());
            match key {
                "format" => about.format = said(),
                "track" => about.track = said(),
                "car" => about.car = said(),
                "driver" => about.driver = said(),
                "session" => about.session = said(),
                "length_m" => {
                    about.length_m = value.parse().ok().filter(|metres: &f32| metres.is_finite() && *metres > 0.0);
                }
                _ => {}
            }
        }
        about
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_it_was_written() {
        let about = LapFileAbout {
            format: Some("MoTeC ADL".into()),
            track: Some("Calder".into()),
            car: None,
            driver: Some("Driver = 1".into()),
            session: Some("2".into()),
            length_m: Some(2_280.5),
        };
        assert_eq!(LapFileAbout::parse(about.to_text().as_bytes()), about);
        let lines = LapFileAbout { track: Some("a\nlength_m=5".into()), ..LapFileAbout::default() };
        assert_eq!(LapFileAbout::parse(lines.to_text().as_bytes()).length_m, None, "a line break cannot add a key");
        assert_eq!(LapFileAbout::parse(b"length_m=-1\nlength_m\n\xff="), LapFileAbout::default());
    }
}
