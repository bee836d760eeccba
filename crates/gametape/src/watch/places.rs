//! Replay folders of games: resolves the table against the folders of a machine, whether the results exist or not.

use std::path::PathBuf;

use super::folder::Folder;
use super::games::{ReplayGame, ReplayLocation};
use crate::documents::{
    UserFolders, app_folder, drive_c, each_once, prefix_of_app, real_path, steam_libraries, users_of_prefix,
};

/// The folders of a machine that replay folders depend on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment {
    /// Documents folders of the user.
    pub documents: Vec<PathBuf>,
    /// The user's profile: `%USERPROFILE%`, or the home folder.
    pub profile: Option<PathBuf>,
    /// Folders of application data of this machine only (`%LOCALAPPDATA%`), on Windows.
    pub local_app_data: Option<PathBuf>,
    /// The folder of application data: `%APPDATA%`, or `$XDG_DATA_HOME`.
    pub app_data: Option<PathBuf>,
    /// Steam libraries: folders that contain `steamapps`.
    pub steam_libraries: Vec<PathBuf>,
    /// Program Files folders on Windows.
    pub program_files: Vec<PathBuf>,
    /// Wine prefixes of other launchers: folders that contain `drive_c`, or `pfx/drive_c`.
    pub wine_prefixes: Vec<PathBuf>,
    /// Whether Windows games run under Proton.
    pub proton: bool,
}

impl Environment {
    /// Detects the folders of this machine. Undetectable ones are left out.
    pub fn of_this_machine() -> Self {
        let program_files = if cfg!(windows) {
            ["ProgramFiles(x86)", "ProgramFiles"].iter().filter_map(std::env::var_os).map(PathBuf::from).collect()
        } else {
            Vec::new()
        };
        let own = UserFolders::of_this_user();
        Self {
            documents: own.documents,
            profile: own.profile,
            local_app_data: own.local.into_iter().next(),
            app_data: own.roaming,
            steam_libraries: each_once(steam_libraries().into_iter()),
            program_files: each_once(program_files.into_iter()),
            wine_prefixes: Vec::new(),
            proton: !cfg!(windows),
        }
    }

    /// Adds the prefix of another launcher for Windows games (Lutris, Heroic, Bottles).
    pub fn wine_prefix(mut self, prefix: impl Into<PathBuf>) -> Self {
        self.wine_prefixes.push(prefix.into());
        self
    }

    /// Returns the possible replay folders of a game, most likely first. A folder that is reached in several ways, such as through a link in a
    /// Proton prefix, is returned once.
    pub fn replay_folders(&self, game: &ReplayGame) -> Vec<Folder> {
        let users = self.users(game);
        let mut folders: Vec<(PathBuf, Folder)> = Vec::new();
        for replays in game.replays {
            for place in replays.places {
                for (base, below) in self.resolve(game, *place, &users) {
                    let folder = Folder::of_replays(&base, below, game, replays);
                    let real = real_path(&folder.full_path());
                    if !folders.iter().any(|(other, known)| *other == real && known.patterns == folder.patterns) {
                        folders.push((real, folder));
                    }
                }
            }
        }
        folders.into_iter().map(|(_, folder)| folder).collect()
    }

    /// Returns whether Steam has the game installed: whether any library has its manifest.
    pub fn has_installed(&self, game: &ReplayGame) -> bool {
        let app = game.steam_app;
        app.is_some_and(|app| self.steam_libraries.iter().any(|library| app_folder(library, app).is_some()))
    }

    /// Returns the folders of the user, and those of the user in each prefix.
    fn users(&self, game: &ReplayGame) -> Vec<UserFolders> {
        let own = UserFolders {
            documents: self.documents.clone(),
            profile: self.profile.clone(),
            local: self.local_app_data.iter().cloned().collect(),
            local_low: self.profile.as_ref().map(|profile| profile.join("AppData").join("LocalLow")),
            roaming: self.app_data.clone(),
        };
        let app = game.steam_app.filter(|_| self.proton);
        let prefixes = app.into_iter().flat_map(|app| {
            self.steam_libraries
                .iter()
                .map(move |library| UserFolders::in_prefix(&prefix_of_app(library, app), "steamuser"))
        });
        let others = self.wine_prefixes.iter().flat_map(|prefix| users_of_prefix(prefix));
        [own].into_iter().chain(prefixes).chain(others).collect()
    }

    fn resolve(&self, game: &ReplayGame, place: ReplayLocation, users: &[UserFolders]) -> Vec<(PathBuf, &'static str)> {
        let all = |of: fn(&UserFolders) -> &[PathBuf], below| {
            users.iter().flat_map(of).map(|folder| (folder.clone(), below)).collect()
        };
        match place {
            ReplayLocation::Documents(below) => all(|user| &user.documents, below),
            ReplayLocation::LocalAppData(below) => all(|user| &user.local, below),
            ReplayLocation::LocalLow(below) => all(|user| user.local_low.as_slice(), below),
            ReplayLocation::Profile(below) => all(|user| user.profile.as_slice(), below),
            ReplayLocation::AppData(below) => all(|user| user.roaming.as_slice(), below),
            ReplayLocation::Install { folder, below } => {
                let installs = self.steam_libraries.iter().flat_map(|library| {
                    let named = game.steam_app.and_then(|app| app_folder(library, app));
                    let usual = library.join("steamapps").join("common").join(folder);
                    named.into_iter().chain([usual])
                });
                installs.map(|install| (install, below)).collect()
            }
            ReplayLocation::ProgramFiles(below) => {
                let in_prefixes = self.wine_prefixes.iter().flat_map(|prefix| {
                    let drive = drive_c(prefix);
                    ["Program Files (x86)", "Program Files"].map(|name| drive.join(name))
                });
                self.program_files.iter().cloned().chain(in_prefixes).map(|folder| (folder, below)).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::games::{REPLAY_GAMES, find_replay_game};
    use super::*;

    fn machine(proton: bool) -> Environment {
        Environment {
            documents: vec!["/d".into()],
            profile: Some("/u".into()),
            local_app_data: Some("/l".into()),
            app_data: Some("/a".into()),
            steam_libraries: vec!["/s1".into(), "/s2".into()],
            program_files: vec!["/p".into()],
            wine_prefixes: Vec::new(),
            proton,
        }
    }

    fn folders(game: &str, machine: &Environment) -> Vec<String> {
        let folders = machine.replay_folders(find_replay_game(game).unwrap());
        folders.iter().map(|folder| folder.full_path().to_string_lossy().replace('\\', "/")).collect()
    }

    #[test]
    fn on_windows_places_are_in_the_folders_of_the_user_libraries_and_programs() {
        let windows = machine(false);
        for (game, expected) in [
            ("rl", vec!["/d/My Games/Rocket League/TAGame/Demos*"]),
            ("fortnite", vec!["/l/FortniteGame/Saved/Demos"]),
            ("aoe2", vec!["/u/Games/Age of Empires 2 DE/*/savegame"]),
            ("sc2", vec!["/d/StarCraft II/Accounts/*/*/Replays"]),
            ("osu", vec!["/l/osu!/Replays", "/l/osu!/Data/r", "/a/osu/exports"]),
            ("iracing", vec!["/d/iRacing/telemetry", "/d/iRacing/replay", "/d/iRacing/lapfiles"]),
            (
                "halo-mcc",
                vec!["/u/AppData/LocalLow/MCC/Temporary/*/autosave", "/u/AppData/LocalLow/MCC/UserContent/*/Movie"],
            ),
            (
                "r6",
                vec![
                    "/s1/steamapps/common/Tom Clancy's Rainbow Six Siege/MatchReplay",
                    "/s2/steamapps/common/Tom Clancy's Rainbow Six Siege/MatchReplay",
                    "/p/Ubisoft/Ubisoft Game Launcher/games/Tom Clancy's Rainbow Six Siege/MatchReplay",
                ],
            ),
        ] {
            assert_eq!(folders(game, &windows), expected, "{game}");
        }
    }

    #[test]
    fn under_proton_folders_are_in_the_prefix_of_each_library() {
        let user =
            |library: &str, app: u32| format!("/{library}/steamapps/compatdata/{app}/pfx/drive_c/users/steamuser");
        let below = |library: &str, names: [&str; 2], below: &str, app: u32| {
            names.map(|name| format!("{}/{name}/{below}", user(library, app)))
        };
        let of = |own: &str, names: [&str; 2], path: &str, app: u32| -> Vec<String> {
            let prefixes = ["s1", "s2"].into_iter().flat_map(|library| below(library, names, path, app));
            [format!("{own}/{path}")].into_iter().chain(prefixes).collect()
        };
        let documents = ["Documents", "My Documents"];
        assert_eq!(folders("rl", &machine(true)), of("/d", documents, "My Games/Rocket League/TAGame/Demos*", 252_950));
        let local = ["AppData/Local", "Local Settings/Application Data"];
        assert_eq!(folders("pubg", &machine(true)), of("/l", local, "TslGame/Saved/Demos", 578_080));
    }

    #[test]
    fn a_machine_without_anything_has_no_folders() {
        for game in REPLAY_GAMES {
            assert_eq!(Environment::default().replay_folders(game), Vec::<Folder>::new());
        }
    }

    /// A prefix: folders below the user's profile, and links.
    #[cfg(unix)]
    fn prefix(root: &std::path::Path, folders: &[&str], links: &[(&str, &str)]) {
        for folder in folders {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for (link, to) in links {
            std::fs::create_dir_all(root.join(link).parent().unwrap()).unwrap();
            std::os::unix::fs::symlink(root.join(to), root.join(link)).unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_is_reached_through_a_link_of_a_prefix_counts_once() {
        let root = tempfile::tempdir().unwrap();
        let user = root.path().join("steamapps/compatdata/578080/pfx/drive_c/users/steamuser");
        prefix(&user, &["AppData/Local"], &[("Local Settings/Application Data", "AppData/Local")]);
        let machine = Environment { steam_libraries: vec![root.path().into()], proton: true, ..Environment::default() };
        let path = user.join("AppData/Local/TslGame/Saved/Demos");
        // Whether the folder itself exists yet or not.
        for _ in 0..2 {
            assert_eq!(folders("pubg", &machine), [path.to_string_lossy()]);
            std::fs::create_dir_all(&path).unwrap();
        }
        // Wine links the documents of a prefix to those of the user.
        let documents = root.path().join("home/Documents");
        let user = root.path().join("steamapps/compatdata/266410/pfx/drive_c/users/steamuser");
        std::fs::create_dir_all(documents.join("iRacing/telemetry")).unwrap();
        prefix(&user, &[], &[]);
        std::fs::create_dir_all(&user).unwrap();
        std::os::unix::fs::symlink(&documents, user.join("Documents")).unwrap();
        std::os::unix::fs::symlink("Documents", user.join("My Documents")).unwrap();
        let machine = Environment { documents: vec![documents.clone()], ..machine };
        let found = folders("iracing", &machine);
        assert_eq!(found.len(), 3, "telemetry, replay and lapfiles, once each: {found:?}");
        assert!(found.iter().all(|path| path.starts_with(&*documents.to_string_lossy())));
    }

    #[cfg(unix)]
    #[test]
    fn a_prefix_of_another_launcher_has_folders_for_each_user() {
        let root = tempfile::tempdir().unwrap();
        let users = "battlenet/pfx/drive_c/users";
        prefix(root.path(), &[&format!("{users}/me"), &format!("{users}/Public")], &[]);
        for given in ["battlenet", "battlenet/pfx"] {
            let machine = Environment::default().wine_prefix(root.path().join(given));
            let found = folders("w3", &machine);
            let me = root.path().join(users).join("me");
            assert_eq!(
                found,
                ["Documents", "My Documents"].map(|name| {
                    me.join(name).join("Warcraft III/BattleNet/*/Replays").to_string_lossy().into_owned()
                })
            );
            assert_eq!(folders("r6", &machine).len(), 2, "both folders of programs");
        }
    }

    #[test]
    fn the_manifest_of_steam_names_the_install_folder() {
        let root = tempfile::tempdir().unwrap();
        let apps = root.path().join("steamapps");
        std::fs::create_dir(&apps).unwrap();
        let manifest = "\"AppState\"\n{\n\"appid\" \"730\"\n\"installdir\" \"Renamed\"\n}\n";
        let mut file = std::fs::File::create_new(apps.join("appmanifest_730.acf")).unwrap();
        std::io::Write::write_all(&mut file, manifest.as_bytes()).unwrap();
        let machine = Environment { steam_libraries: vec![root.path().into()], ..Environment::default() };
        let found = folders("cs2", &machine);
        assert!(found[0].ends_with("common/Renamed/game/csgo"), "{found:?}");
        assert!(found[1].ends_with("common/Counter-Strike Global Offensive/game/csgo"), "{found:?}");
        let cs2 = find_replay_game("cs2").unwrap();
        assert!(machine.has_installed(cs2) && !Environment::default().has_installed(cs2));
    }

    #[test]
    fn of_several_folders_those_that_fit_exist() {
        let root = tempfile::tempdir().unwrap();
        let machine = Environment { documents: vec![root.path().into()], ..Environment::default() };
        let game = root.path().join("My Games/Rocket League/TAGame");
        for name in ["Demos", "DemosEpic", "Config"] {
            std::fs::create_dir_all(game.join(name)).unwrap();
        }
        let folders = machine.replay_folders(find_replay_game("rl").unwrap());
        let [folder] = &folders[..] else { panic!("{folders:?}") };
        assert_eq!(folder.existing(), [game.join("Demos"), game.join("DemosEpic")]);
    }
}
