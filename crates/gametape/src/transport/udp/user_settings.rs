//! Reads the files in which users describe the datagrams of games. Never writes.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use gametape_format::open_regular;
use gametape_games::{GAMES, Game, Layout, SettingsFiles, UserSettings};

use super::settings::UdpSettings;
use crate::documents::{game_documents, join};

/// Files of a game are far smaller.
const MOST_BYTES: u64 = 1 << 20;

/// The settings of one game.
#[derive(Debug, Clone)]
pub struct GameSettings {
    /// The game.
    pub game: &'static Game,
    /// The folder with its files; `None` if there is none.
    pub folder: Option<PathBuf>,
    /// The folders that were searched.
    pub searched: Vec<PathBuf>,
    /// What the files say.
    pub settings: UserSettings,
}

/// The settings of all games that have such files.
#[derive(Debug, Default)]
pub(super) struct DescribedGames(Vec<GameSettings>);

impl GameSettings {
    /// Reads the settings of one game or, if `game` is `None`, of all games that have such files.
    fn of_games(game: Option<&'static Game>, documents: Option<&[PathBuf]>) -> Vec<Self> {
        let games = game.map_or(GAMES, std::slice::from_ref).iter();
        let with_files = games.filter_map(|game| Some((game, game.rules.settings_files()?)));
        let documents_of = |files: &dyn SettingsFiles| match documents {
            Some(named) => named.to_vec(),
            None => game_documents(files.steam_app()),
        };
        with_files.map(|(game, files)| Self::read(game, files, &documents_of(files))).collect()
    }

    fn read(game: &'static Game, files: &dyn SettingsFiles, documents: &[PathBuf]) -> Self {
        let searched: Vec<PathBuf> = documents.iter().map(|documents| join(documents, files.folder())).collect();
        for folder in &searched {
            let settings = files.read(&mut |name| read_text(folder, name));
            if settings.found {
                return Self { game, folder: Some(folder.clone()), searched, settings };
            }
        }
        Self { game, folder: None, searched, settings: UserSettings::default() }
    }

    /// Returns what is wrong with the files, each with its path.
    pub(crate) fn problems(&self) -> impl Iterator<Item = String> {
        let folder = self.folder.clone().unwrap_or_default();
        self.settings
            .problems
            .iter()
            .map(move |problem| format!("{}: {}", join(&folder, &problem.file).display(), problem.what))
    }
}

impl DescribedGames {
    /// Reads the settings of one game or of all.
    pub(super) fn read(game: Option<&'static Game>, settings: &UdpSettings) -> Self {
        Self(GameSettings::of_games(game, settings.documents.as_deref()))
    }

    /// Returns the games.
    pub(super) fn games(&self) -> &[GameSettings] {
        &self.0
    }

    fn of(&self, game: &Game) -> Option<&UserSettings> {
        self.0.iter().find(|one| one.game.id == game.id).map(|one| &one.settings)
    }

    /// Returns the stream of a datagram that the user described.
    pub(super) fn stream_of(&self, game: &Game, datagram: &[u8]) -> Option<&'static str> {
        self.of(game)?.stream_of(datagram)
    }

    /// Returns the layout that the user described for datagrams of this stream and length.
    pub(super) fn layout_of(&self, game: &Game, stream: &str, bytes: usize) -> Option<&'static Layout> {
        self.of(game)?.layout_of(stream, bytes)
    }

    /// Returns the layout that the user described for a stream: the first one if there are several.
    pub(super) fn layout_of_stream(&self, game: &Game, stream: &str) -> Option<&'static Layout> {
        let mut of_stream = self.of(game)?.packets.iter().filter(|packet| packet.stream == stream);
        of_stream.find_map(|packet| packet.layout)
    }

    /// Returns the user's description, which is stored on tapes.
    pub(super) fn description(&self, game: &Game) -> Option<&str> {
        self.of(game).map(|settings| settings.description.as_str()).filter(|text| !text.is_empty())
    }

    /// Returns what the user should know.
    pub(super) fn notices(&self) -> impl Iterator<Item = String> {
        let notice = |one: &GameSettings, problem| {
            format!("{problem}; such packets of {} are recorded without columns, or not at all", one.game.name)
        };
        self.0.iter().flat_map(move |one| one.problems().map(move |problem| notice(one, problem)))
    }
}

/// Reads a text file. Returns `Ok(None)` if it does not exist.
fn read_text(folder: &Path, name: &str) -> Result<Option<String>, String> {
    let file = match open_regular(join(folder, name)) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!("longer than {MOST_BYTES} bytes, which no file of the game is"));
    }
    text(&bytes).map(Some)
}

/// Decodes UTF-8, or UTF-16 with a byte order mark.
fn text(bytes: &[u8]) -> Result<String, String> {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        let (units, rest) = bytes.as_chunks::<2>();
        let text = char::decode_utf16(units.iter().map(|bytes| unit(*bytes))).collect::<Result<String, _>>();
        text.ok().filter(|_| rest.is_empty()).ok_or_else(|| "not valid UTF-16".to_owned())
    };
    match bytes {
        [0xFF, 0xFE, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] | rest => std::str::from_utf8(rest)
            .map(str::to_owned)
            .map_err(|_| "neither UTF-8 nor UTF-16 with a byte order mark".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape_games::ea_wrc;

    fn put(folder: &Path, name: &str, bytes: &[u8]) {
        let path = join(&folder.join("My Games/WRC/telemetry"), name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = std::fs::File::create_new(path).unwrap();
        std::io::Write::write_all(&mut file, bytes).unwrap();
    }

    /// Reads the settings of a user who enabled this packet of this structure.
    fn read(structure: &str, packet: &str, files: &[(&str, &[u8])]) -> GameSettings {
        let folder = tempfile::tempdir().unwrap();
        let config = format!(
            "{{\"schema\":2,\"udp\":{{\"packets\":[{{\"structure\":\"{structure}\",\"packet\":\"{packet}\",\"ip\":\"127.0.0.1\",\
             \"port\":20777,\"frequencyHz\":60,\"bEnabled\":true}}]}}}}"
        );
        put(folder.path(), "config.json", config.as_bytes());
        files.iter().for_each(|(name, bytes)| put(folder.path(), name, bytes));
        let nowhere = folder.path().join("nowhere");
        let games = GameSettings::of_games(None, Some(&[nowhere, folder.path().to_owned()]));
        games.into_iter().find(|one| one.game.id == "ea-wrc").unwrap()
    }

    fn problem(read: &GameSettings) -> String {
        let problems: Vec<String> = read.problems().collect();
        assert_eq!(problems.len(), 1, "{problems:?}");
        problems[0].clone()
    }

    #[test]
    fn structures_are_read_in_every_encoding_of_the_game() {
        let text = ea_wrc::STRUCTURE_JSON;
        let utf16 = |unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
            std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(unit).collect()
        };
        for bytes in [
            text.as_bytes().to_vec(),
            [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
            utf16(u16::to_le_bytes),
            utf16(u16::to_be_bytes),
        ] {
            let read = read("gametape", "session_end", &[("udp/gametape.json", &bytes)]);
            assert!(read.settings.problems.is_empty(), "{:?}", read.settings.problems);
            let layout = read.settings.packets[0].layout.unwrap();
            assert_eq!(layout, &ea_wrc::layout_of_structure(text, "session_end").unwrap());
            assert!(read.settings.description.contains("stage_result_status"));
        }
        // The game's own structure needs no file.
        let own = read("wrc", "session_update", &[]);
        assert!(
            own.settings.packets[0].layout.is_some_and(|layout| layout.frame_bytes() == 237)
                && own.settings.description.is_empty()
        );
    }

    #[test]
    fn hostile_files_are_errors_that_name_the_file() {
        let file = "udp/mine.json";
        let deep = "[".repeat(1 << 19);
        let deep_packets = format!("{{\"packets\":{deep}");
        let huge = vec![b' '; (1 << 20) + 1];
        let unknown = "{\"packets\":[{\"id\":\"session_update\",\"channels\":[\"packet_uid\",\"weather\"]}]}";
        let cases: [(&[u8], &str); 6] = [
            (&huge, "longer than"),
            (deep.as_bytes(), "not a structure"),
            (deep_packets.as_bytes(), "not a structure"),
            (unknown.as_bytes(), "\"weather\""),
            (b"\xFF\xFE\x00\xD8", "UTF-16"),
            (b"\xFF\xFF", "UTF-8"),
        ];
        for (bytes, why) in cases {
            let read = read("mine", "session_update", &[(file, bytes)]);
            let told = problem(&read);
            assert!(told.contains("mine.json") && told.contains(why), "{why}: {told}");
            assert!(read.settings.packets[0].layout.is_none() && read.settings.description.is_empty());
        }
        let missing = problem(&read("mine", "session_update", &[]));
        assert!(missing.contains("mine.json") && missing.contains("no such file"), "{missing}");
        for outside in ["../config", "/etc/passwd", "a/b", "", ".."] {
            let told = problem(&read(outside, "session_update", &[("../outside.json", b"{}")]));
            assert!(told.contains("config.json") && told.contains("name of a file"), "{told}");
        }
    }

    #[test]
    fn packets_that_cannot_be_told_from_others_are_not_taken() {
        let vague = "{\"packets\":[{\"id\":\"session_update\",\"channels\":[\"vehicle_speed\",\"vehicle_throttle\"]}]}";
        let told = problem(&read("mine", "session_update", &[("udp/mine.json", vague.as_bytes())]));
        assert!(told.contains("packet_4cc"), "{told}");
    }

    #[test]
    fn without_a_folder_nothing_is_found() {
        let empty = tempfile::tempdir().unwrap();
        let games = GameSettings::of_games(None, Some(&[empty.path().to_owned()]));
        assert!(games.iter().all(|one| one.folder.is_none() && one.settings.packets.is_empty()) && !games.is_empty());
    }
}
