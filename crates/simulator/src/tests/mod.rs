//! Tests of the whole simulation: drives, pages, scripts.
mod determinism;
mod drive;
mod forza_and_rally;
mod laps;
mod page_laps;
mod pits;
mod scenarios;
mod script_commands;
mod sent_laps;

use super::*;

/// Every millisecond of a drive, until `stop` says so.
fn drive(settings: Settings, script: Script, mut each: impl FnMut(&Simulation) -> bool) {
    let mut simulation = Simulation::driving(settings, script).with_rates(Rates::EVERY_MS);
    while each(&simulation) {
        assert!(simulation.ms() < 3_600_000, "an hour, and no end");
        simulation.step();
    }
}

fn laps_done(simulation: &Simulation, laps: i32) -> bool {
    simulation.board().completed_laps >= laps
}

/// The pages of a simulation at some milliseconds.
fn at_ms(simulation: Simulation, times_ms: &[u64]) -> Vec<Pages> {
    let mut simulation = simulation;
    let mut at = |ms: u64| {
        while simulation.ms() < ms {
            simulation.step();
        }
        simulation.pages().clone()
    };
    times_ms.iter().map(|ms| at(*ms)).collect()
}
