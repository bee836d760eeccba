//! Replay folders of games: resolves the table against the folders of a machine, whether the results exist or not.

use std::path::{Path, PathBuf};

use directories::UserDirs;

use super::games::{ReplayGame, ReplayLocation};

/// The folders of a machine that replay folders depend on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// Documents folders of the user.
    pub documents: Vec<PathBuf>,
    /// Steam libraries: folders that contain `steamapps`.
    pub steam_libraries: Vec<PathBuf>,
    /// Program Files folders on Windows.
    pub program_files: Vec<PathBuf>,
    /// Whether Windows games run under Proton.
    pub proton: bool,
}

impl Environment {
    /// Detects the folders of this machine. Undetectable ones are left out.
    pub fn of_this_machine() -> Self {
        let user = UserDirs::new();
        let told = user.as_ref().and_then(UserDirs::document_dir).map(Path::to_owned);
        // If the documents folder was moved, some games follow, others do not.
        let usual = user.as_ref().map(|user| user.home_dir().join("Documents"));
        let program_files = if cfg!(windows) {
            ["ProgramFiles(x86)", "ProgramFiles"].iter().filter_map(std::env::var_os).map(PathBuf::from).collect()
        } else {
            Vec::new()
        };
        Self {
            documents: each_once(told.into_iter().chain(usual)),
            steam_libraries: each_once(steam_libraries().into_iter()),
            program_files: each_once(program_files.into_iter()),
            proton: !cfg!(windows),
        }
    }

    /// Returns the possible replay folders of a game, most likely first.
    pub fn replay_folders(&self, game: &ReplayGame) -> Vec<PathBuf> {
        let found = game.places.iter().flat_map(|place| self.resolve(game, *place));
        each_once(found)
    }

    fn resolve(&self, game: &ReplayGame, place: ReplayLocation) -> Vec<PathBuf> {
        match place {
            ReplayLocation::Documents(below) => {
                let prefixes = game.steam_app.filter(|_| self.proton).into_iter().flat_map(|app| {
                    self.steam_libraries.iter().flat_map(move |library| prefix_documents(library, app))
                });
                self.documents.iter().cloned().chain(prefixes).map(|documents| join(&documents, below)).collect()
            }
            ReplayLocation::SteamCommon(below) => self
                .steam_libraries
                .iter()
                .map(|library| join(&library.join("steamapps").join("common"), below))
                .collect(),
            ReplayLocation::ProgramFiles(below) => {
                self.program_files.iter().map(|folder| join(folder, below)).collect()
            }
        }
    }
}

/// Returns the documents folders of a game's Proton prefix. Old prefixes call them `My Documents`.
fn prefix_documents(library: &Path, app: u32) -> impl Iterator<Item = PathBuf> + use<> {
    let prefix = library.join("steamapps").join("compatdata").join(app.to_string()).join("pfx");
    let user = prefix.join("drive_c").join("users").join("steamuser");
    ["Documents", "My Documents"].into_iter().map(move |name| user.join(name))
}

/// Joins each component separately, to use the separators of the system.
fn join(folder: &Path, below: &str) -> PathBuf {
    below.split('/').fold(folder.to_owned(), |path, part| path.join(part))
}

fn steam_libraries() -> Vec<PathBuf> {
    let installations = steamlocate::locate_all().unwrap_or_default();
    let libraries_of = |steam: &steamlocate::SteamDir| {
        // The first library is beside Steam itself, even if the list of libraries cannot be read.
        let mut libraries = vec![steam.path().to_owned()];
        libraries.extend(steam.library_paths().unwrap_or_default());
        libraries
    };
    installations.iter().flat_map(libraries_of).collect()
}

/// Removes duplicate folders, including those reached through a link.
fn each_once(folders: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut seen = Vec::new();
    let mut once = Vec::new();
    for folder in folders {
        let real = std::fs::canonicalize(&folder).unwrap_or_else(|_| folder.clone());
        if !seen.contains(&real) {
            seen.push(real);
            once.push(folder);
        }
    }
    once
}

#[cfg(test)]
mod tests {
    use super::super::games::{REPLAY_GAMES, find_replay_game};
    use super::*;

    fn machine(proton: bool) -> Environment {
        Environment {
            documents: vec!["/d".into()],
            steam_libraries: vec!["/s1".into(), "/s2".into()],
            program_files: vec!["/p".into()],
            proton,
        }
    }

    fn folders(game: &str, machine: &Environment) -> Vec<String> {
        let game = find_replay_game(game).unwrap();
        machine.replay_folders(game).iter().map(|folder| folder.to_string_lossy().replace('\\', "/")).collect()
    }

    #[test]
    fn on_windows_places_are_in_documents_libraries_and_programs() {
        assert_eq!(folders("iracing", &machine(false)), ["/d/iRacing/telemetry"]);
        assert_eq!(
            folders("rocket-league", &machine(false)),
            ["/d/My Games/Rocket League/TAGame/Demos", "/d/My Games/Rocket League/TAGame/DemosEpic"]
        );
        assert_eq!(
            folders("r6", &machine(false)),
            [
                "/s1/steamapps/common/Tom Clancy's Rainbow Six Siege/MatchReplay",
                "/s2/steamapps/common/Tom Clancy's Rainbow Six Siege/MatchReplay",
                "/p/Ubisoft/Ubisoft Game Launcher/games/Tom Clancy's Rainbow Six Siege/MatchReplay"
            ]
        );
    }

    #[test]
    fn under_proton_documents_are_in_the_prefix_of_each_library() {
        let user = |library: &str| format!("/{library}/steamapps/compatdata/266410/pfx/drive_c/users/steamuser");
        assert_eq!(
            folders("iracing", &machine(true)),
            [
                "/d/iRacing/telemetry".to_owned(),
                format!("{}/Documents/iRacing/telemetry", user("s1")),
                format!("{}/My Documents/iRacing/telemetry", user("s1")),
                format!("{}/Documents/iRacing/telemetry", user("s2")),
                format!("{}/My Documents/iRacing/telemetry", user("s2")),
            ]
        );
    }

    #[test]
    fn a_machine_without_anything_has_no_folders() {
        for game in REPLAY_GAMES {
            assert_eq!(Environment::default().replay_folders(game), Vec::<PathBuf>::new());
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_reached_twice_counts_once() {
        let root = tempfile::tempdir().unwrap();
        let user = root.path().join("steamapps/compatdata/266410/pfx/drive_c/users/steamuser");
        std::fs::create_dir_all(user.join("Documents/iRacing/telemetry")).unwrap();
        std::os::unix::fs::symlink(user.join("Documents"), user.join("My Documents")).unwrap();
        let machine = Environment { steam_libraries: vec![root.path().into()], proton: true, ..Environment::default() };
        let folders = machine.replay_folders(find_replay_game("iracing").unwrap());
        assert_eq!(folders, [user.join("Documents/iRacing/telemetry")]);
    }
}
