//! Games as readers of tapes see them: what turns frames into samples, laps and standings, and nothing else.
//!
//! [`GAMES`](crate::GAMES) has all that recording and playing needs too: tables of layouts, recognition, requests, settings. A program that only reads, such
//! as a page in a browser, gets none of it, since nothing here refers to it. A test keeps the two lists in step.

use crate::capture::Rules;
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;
use crate::standings::ReadStandings;
use crate::{
    assetto_corsa, assetto_corsa_competizione, assetto_corsa_evo, assetto_corsa_rally, assetto_corsa_remote,
    automobilista_2, dirt_rally, ea_wrc, echo_vr, euro_truck_simulator_2, f1, forza, gran_turismo, iracing, lap_file,
    le_mans_ultimate, project_cars, raceroom, rfactor_2, trackmania,
};

/// The part of [`Rules`] that reads recorded frames; see there.
pub trait ReadGame: Sync {
    /// See [`Rules::decoder`].
    fn decoder(&self) -> Box<dyn Decode>;
    /// See [`Rules::has_laps`].
    fn has_laps(&self) -> bool;
    /// See [`Rules::lap_timer_is_estimate`].
    fn lap_timer_is_estimate(&self) -> bool;
    /// See [`Rules::laps`].
    fn laps(&self) -> Box<dyn ReadLaps>;
    /// See [`Rules::standings`].
    fn standings(&self) -> Option<Box<dyn ReadStandings>>;
}

impl<R: Rules> ReadGame for R {
    fn decoder(&self) -> Box<dyn Decode> {
        Rules::decoder(self)
    }

    fn has_laps(&self) -> bool {
        Rules::has_laps(self)
    }

    fn lap_timer_is_estimate(&self) -> bool {
        Rules::lap_timer_is_estimate(self)
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Rules::laps(self)
    }

    fn standings(&self) -> Option<Box<dyn ReadStandings>> {
        Rules::standings(self)
    }
}

/// All games by id, in the order of [`GAMES`](crate::GAMES).
const READERS: &[(&str, &dyn ReadGame)] = &[
    ("american-truck-simulator", &euro_truck_simulator_2::rules::TruckRules { game: 2 }),
    ("assetto-corsa", &assetto_corsa::rules::AcRules),
    ("assetto-corsa-competizione", &assetto_corsa_competizione::rules::AccRules),
    ("assetto-corsa-evo", &assetto_corsa_evo::rules::EvoRules),
    ("assetto-corsa-rally", &assetto_corsa_rally::rules::RallyRules),
    ("assetto-corsa-remote", &assetto_corsa_remote::rules::RemoteRules),
    ("automobilista-2", &automobilista_2::rules::Automobilista2Rules),
    ("dirt-rally", &dirt_rally::rules::DirtRules),
    ("ea-wrc", &ea_wrc::rules::WrcRules),
    ("echo-vr", &echo_vr::rules::EchoVrRules),
    ("euro-truck-simulator-2", &euro_truck_simulator_2::rules::TruckRules { game: 1 }),
    ("f1-18", f1::older::READERS[0]),
    ("f1-19", f1::older::READERS[1]),
    ("f1-20", f1::older::READERS[2]),
    ("f1-21", f1::older::READERS[3]),
    ("f1-22", &f1::rules::F1Rules { format: 2022 }),
    ("f1-23", &f1::rules::F1Rules { format: 2023 }),
    ("f1-24", &f1::rules::F1Rules { format: 2024 }),
    ("f1-25", &f1::rules::F1Rules { format: 2025 }),
    ("f1-26", &f1::rules::F1Rules { format: 2026 }),
    ("forza-horizon", forza::HORIZON_READER),
    ("forza-motorsport", forza::MOTORSPORT_READER),
    ("gran-turismo-7", gran_turismo::GT7_READER),
    ("gran-turismo-sport", gran_turismo::GT_SPORT_READER),
    ("iracing", &iracing::rules::IracingRules),
    ("lap-file", &lap_file::rules::LapFileRules),
    ("le-mans-ultimate", &le_mans_ultimate::rules::LmuRules),
    ("project-cars", &project_cars::rules::ProjectCarsRules),
    ("raceroom", &raceroom::rules::RaceRoomRules),
    ("rfactor-2", &rfactor_2::rules::RFactor2Rules),
    ("trackmania", &trackmania::rules::TrackmaniaRules),
];

/// Returns what reads the frames of the game with this id.
#[must_use]
pub fn find_reader(id: &str) -> Option<&'static dyn ReadGame> {
    READERS.iter().find(|(known, _)| known.eq_ignore_ascii_case(id)).map(|(_, reader)| *reader)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GAMES;

    #[test]
    fn every_game_has_its_own_reader() {
        let ids: Vec<_> = READERS.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, GAMES.iter().map(|game| game.id).collect::<Vec<_>>(), "add the game to READERS as well");
        for game in GAMES {
            let reader = find_reader(game.id).unwrap();
            let facts = (game.rules.has_laps(), game.rules.lap_timer_is_estimate(), game.rules.standings().is_some());
            let of_reader = (reader.has_laps(), reader.lap_timer_is_estimate(), reader.standings().is_some());
            assert_eq!(of_reader, facts, "{}", game.id);
        }
    }
}
