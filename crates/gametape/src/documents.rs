//! Where games keep the user's files: the documents folders of this machine, and those of Proton prefixes.

use std::path::{Path, PathBuf};

#[cfg(feature = "watch")]
use directories::BaseDirs;
use directories::UserDirs;

/// The folders in which programs keep files of a user.
#[cfg(feature = "watch")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct UserFolders {
    pub(crate) documents: Vec<PathBuf>,
    /// `%USERPROFILE%`, or the home folder.
    pub(crate) profile: Option<PathBuf>,
    /// `%LOCALAPPDATA%`; none on other systems than Windows.
    pub(crate) local: Vec<PathBuf>,
    pub(crate) local_low: Option<PathBuf>,
    /// `%APPDATA%`, or `$XDG_DATA_HOME`.
    pub(crate) roaming: Option<PathBuf>,
}

#[cfg(feature = "watch")]
impl UserFolders {
    /// Detects the folders of the user who runs this program.
    pub(crate) fn of_this_user() -> Self {
        let base = BaseDirs::new();
        let profile = base.as_ref().map(|base| base.home_dir().to_owned());
        let local = base.as_ref().filter(|_| cfg!(windows)).map(|base| base.data_local_dir().to_owned());
        Self {
            documents: user_documents(),
            local_low: profile.as_ref().map(|profile| profile.join("AppData").join("LocalLow")),
            profile,
            local: local.into_iter().collect(),
            roaming: base.as_ref().map(|base| base.data_dir().to_owned()),
        }
    }

    /// Returns the folders of a user of a Wine prefix. Old prefixes have other names for some of them, which may be links.
    pub(crate) fn in_prefix(prefix: &Path, user: &str) -> Self {
        let profile = prefix.join("drive_c").join("users").join(user);
        Self {
            documents: ["Documents", "My Documents"].map(|name| profile.join(name)).into(),
            local: ["AppData/Local", "Local Settings/Application Data"].map(|below| join(&profile, below)).into(),
            local_low: Some(join(&profile, "AppData/LocalLow")),
            roaming: Some(join(&profile, "AppData/Roaming")),
            profile: Some(profile),
        }
    }
}

/// Returns the folder of a prefix that is drive C of its programs.
#[cfg(feature = "watch")]
pub(crate) fn drive_c(prefix: &Path) -> PathBuf {
    let inner = prefix.join("pfx");
    let prefix = if inner.join("drive_c").is_dir() { inner } else { prefix.to_owned() };
    prefix.join("drive_c")
}

/// Returns the folders of all users of a prefix.
#[cfg(feature = "watch")]
pub(crate) fn users_of_prefix(prefix: &Path) -> Vec<UserFolders> {
    let drive = drive_c(prefix);
    let entries = std::fs::read_dir(drive.join("users")).into_iter().flatten().flatten();
    let mut names: Vec<_> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| name != "Public");
    names.sort_unstable();
    let prefix = drive.parent().unwrap_or(prefix);
    names.iter().map(|name| UserFolders::in_prefix(prefix, name)).collect()
}

/// Returns the install folder of a game, as the manifest in this Steam library names it.
#[cfg(feature = "watch")]
pub(crate) fn app_folder(library: &Path, app: u32) -> Option<PathBuf> {
    let manifests = steamlocate::Library::from_dir(library).ok()?;
    let app = manifests.app(app)?.ok()?;
    Some(manifests.resolve_app_dir(&app))
}

/// Returns the documents folders of the user.
pub(crate) fn user_documents() -> Vec<PathBuf> {
    let user = UserDirs::new();
    let told = user.as_ref().and_then(UserDirs::document_dir).map(Path::to_owned);
    // If the documents folder was moved, some games follow, others do not.
    let usual = user.as_ref().map(|user| user.home_dir().join("Documents"));
    each_once(told.into_iter().chain(usual))
}

/// Returns the documents folders in which a game of Steam may keep its files: those of the user and, where Windows games run under Proton, those
/// of the game's prefix.
pub(crate) fn game_documents(steam_app: u32) -> Vec<PathBuf> {
    let libraries = if cfg!(windows) { Vec::new() } else { steam_libraries() };
    let prefixes = libraries.iter().flat_map(|library| prefix_documents(library, steam_app));
    each_once(prefixes.chain(user_documents()))
}

/// Returns the documents folders of a game's Proton prefix. Old prefixes call them `My Documents`.
pub(crate) fn prefix_documents(library: &Path, app: u32) -> impl Iterator<Item = PathBuf> + use<> {
    let user = prefix_of_app(library, app).join("drive_c").join("users").join("steamuser");
    ["Documents", "My Documents"].into_iter().map(move |name| user.join(name))
}

/// Returns the Proton prefix of a game in a Steam library.
pub(crate) fn prefix_of_app(library: &Path, app: u32) -> PathBuf {
    library.join("steamapps").join("compatdata").join(app.to_string()).join("pfx")
}

/// Joins each component separately, to use the separators of the system.
pub(crate) fn join(folder: &Path, below: &str) -> PathBuf {
    below.split('/').fold(folder.to_owned(), |path, part| path.join(part))
}

/// Returns the Steam libraries: folders that contain `steamapps`.
#[cfg(feature = "watch")]
pub(crate) fn steam_libraries() -> Vec<PathBuf> {
    let installations = steamlocate::locate_all().unwrap_or_default();
    let libraries_of = |steam: &steamlocate::SteamDir| {
        // The first library is beside Steam itself, even if the list of libraries cannot be read.
        let mut libraries = vec![steam.path().to_owned()];
        libraries.extend(steam.library_paths().unwrap_or_default());
        libraries
    };
    installations.iter().flat_map(libraries_of).collect()
}

/// Returns nothing: without the feature `watch`, Steam is not looked for.
#[cfg(not(feature = "watch"))]
pub(crate) fn steam_libraries() -> Vec<PathBuf> {
    Vec::new()
}

/// Removes duplicate folders, including those reached through a link.
pub(crate) fn each_once(folders: impl Iterator<Item = PathBuf>) -> Vec<PathBuf> {
    let mut seen = Vec::new();
    let mut once = Vec::new();
    for folder in folders {
        let real = real_path(&folder);
        if !seen.contains(&real) {
            seen.push(real);
            once.push(folder);
        }
    }
    once
}

/// Resolves the links in a path. Of a path that does not exist, resolves those in the part that does.
pub(crate) fn real_path(path: &Path) -> PathBuf {
    for existing in path.ancestors() {
        if let Ok(real) = std::fs::canonicalize(existing) {
            let rest = path.strip_prefix(existing).unwrap_or(Path::new(""));
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path.to_owned()
}
