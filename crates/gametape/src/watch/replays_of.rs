//! The replay folders of each title that cannot be captured while it runs, as sources of a capture: `rocket_league::replays()`.
//! For the others, [`Watch::game`] does the same by id.

use super::builder::Watch;
use super::games::find_replay_game;
use super::places::Environment;

/// Watches the replay folders of a title on this machine. Without the title, starting the watch fails.
fn on_this_machine(id: &str) -> Watch {
    match find_replay_game(id) {
        Ok(game) => Watch::new().replays_of(game, &Environment::of_this_machine()),
        Err(_) => Watch::new(),
    }
}

/// Age of Empires II: Definitive Edition.
pub mod age_of_empires_2_de {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("age-of-empires-2-de")
    }
}

/// Age of Empires II: HD Edition.
pub mod age_of_empires_2_hd {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("age-of-empires-2-hd")
    }
}

/// Age of Empires IV.
pub mod age_of_empires_4 {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("age-of-empires-4")
    }
}

/// Brawlhalla.
pub mod brawlhalla {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("brawlhalla")
    }
}

/// Counter-Strike 2.
pub mod counter_strike_2 {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("counter-strike-2")
    }
}

/// Dota 2.
pub mod dota_2 {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("dota-2")
    }
}

/// Fortnite.
pub mod fortnite {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("fortnite")
    }
}

/// Halo: The Master Chief Collection.
pub mod halo_mcc {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("halo-mcc")
    }
}

/// League of Legends.
pub mod league_of_legends {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("league-of-legends")
    }
}

/// ManiaPlanet.
pub mod maniaplanet {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("maniaplanet")
    }
}

/// osu!.
pub mod osu {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("osu")
    }
}

/// Overwatch 2: videos of highlights.
pub mod overwatch_2 {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("overwatch-2")
    }
}

/// PUBG: Battlegrounds.
pub mod pubg {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("pubg")
    }
}

/// Tom Clancy's Rainbow Six Siege.
pub mod rainbow_six_siege {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("rainbow-six-siege")
    }
}

/// Rocket League.
pub mod rocket_league {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("rocket-league")
    }
}

/// StarCraft II.
pub mod starcraft_2 {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("starcraft-2")
    }
}

/// Tekken 8.
pub mod tekken_8 {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("tekken-8")
    }
}

/// Trackmania Turbo.
pub mod trackmania_turbo {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("trackmania-turbo")
    }
}

/// Valorant.
pub mod valorant {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("valorant")
    }
}

/// Warcraft III.
pub mod warcraft_3 {
    /// Returns the replay folders on this machine, as a source.
    pub fn replays() -> super::Watch {
        super::on_this_machine("warcraft-3")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_title_here_is_in_the_table() {
        let text = include_str!("replays_of.rs");
        let ids: Vec<_> = text.split("on_this_machine(\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(ids.len() > 15);
        for id in &ids {
            assert!(find_replay_game(id).is_ok(), "{id}");
        }
        let captured = |id: &str| gametape_games::find_game(id).is_some();
        let missing = super::super::games::REPLAY_GAMES
            .iter()
            .map(|game| game.id)
            .filter(|id| !captured(id) && !ids.contains(id));
        // Captured too, once their tables are complete.
        assert!(missing.into_iter().all(|id| ["le-mans-ultimate", "rfactor-2", "trackmania"].contains(&id)));
    }
}
