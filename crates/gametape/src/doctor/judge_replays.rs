//! Diagnoses replay folders: a game that is installed, but whose replay folder is missing, has saved no replay yet, or saves them elsewhere.

use super::finding::{Finding, Level, Subject};
use crate::watch::{Environment, Folder, REPLAY_GAMES, ReplayGame};

/// Judges the replay folders of the games that Steam has installed; of one game, also if it was installed in another way.
pub fn replay_folders(machine: &Environment, game: Option<&str>) -> Vec<Finding> {
    let asked = |known: &&ReplayGame| game.is_none_or(|id| known.id == id);
    REPLAY_GAMES.iter().filter(asked).filter_map(|known| judge(machine, known, game.is_some())).collect()
}

fn judge(machine: &Environment, game: &'static ReplayGame, asked: bool) -> Option<Finding> {
    let folders = machine.replay_folders(game);
    let existing: Vec<_> = folders.iter().flat_map(Folder::existing).map(|path| path.display().to_string()).collect();
    let installed = machine.has_installed(game);
    let finding = |level, text: String| Finding::new(Subject::ReplayFolder, level, text).of(Some(game.id));
    match (existing.is_empty(), installed) {
        (false, _) if installed || asked => Some(finding(Level::Ok, existing.join(", "))),
        (_, false) => None,
        (_, true) => {
            // The first candidate is the most likely one.
            let looked_for = folders.first().map(|folder| folder.full_path().display().to_string()).unwrap_or_default();
            let text = format!("{} is installed, but there is no replay folder {looked_for}", game.name);
            Some(finding(Level::Note, text).next(
                "save a replay in the game, and switch on automatic saving if it has that; if the folder is elsewhere: gametape watch DIR",
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_installed_game_without_its_folder_is_noted() {
        let library = tempfile::tempdir().unwrap();
        let machine =
            Environment { steam_libraries: vec![library.path().into()], proton: true, ..Environment::default() };
        assert!(replay_folders(&machine, None).is_empty(), "nothing is installed");
        let apps = library.path().join("steamapps");
        std::fs::create_dir(&apps).unwrap();
        let manifest = "\"AppState\"\n{\n\"appid\" \"252950\"\n\"installdir\" \"rocketleague\"\n}\n";
        std::io::Write::write_all(
            &mut std::fs::File::create_new(apps.join("appmanifest_252950.acf")).unwrap(),
            manifest.as_bytes(),
        )
        .unwrap();
        let findings = replay_folders(&machine, None);
        assert!(
            matches!(&findings[..], [one] if one.game == Some("rocket-league") && one.level == Level::Note),
            "{findings:?}"
        );
        assert!(findings[0].text.contains("Demos*") && findings[0].what_to_do.is_some(), "{findings:?}");
        let demos = "compatdata/252950/pfx/drive_c/users/steamuser/Documents/My Games/Rocket League/TAGame/DemosEpic";
        std::fs::create_dir_all(apps.join(demos)).unwrap();
        let findings = replay_folders(&machine, Some("rocket-league"));
        assert!(
            matches!(&findings[..], [one] if one.level == Level::Ok && one.text.ends_with("DemosEpic")),
            "{findings:?}"
        );
        assert!(replay_folders(&machine, Some("no-such-game")).is_empty());
    }
}
