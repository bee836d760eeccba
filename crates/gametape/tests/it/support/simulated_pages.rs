//! Pages of the simulated car, as games with one page of shared memory write them.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]
use gametape::games::{Game, Stream};
use gametape_simulator::{Script, Settings, Simulation, page_encoder};

/// The stream of the page.
pub fn page_stream(game: &Game) -> &'static Stream {
    game.streams.iter().find(|stream| stream.section().is_some()).unwrap()
}

/// The pages that a game writes between two times, in ms, one every `step_ms`.
pub fn pages_between(game: &Game, from_ms: u64, to_ms: u64, step_ms: u64) -> Vec<Vec<u8>> {
    let mut encoder = page_encoder(game.id).expect("an encoder");
    let mut simulation = Simulation::driving(Settings::default(), Script::new());
    let (mut page, mut pages) = (Vec::new(), Vec::new());
    while simulation.ms() < to_ms {
        simulation.step();
        encoder.encode(simulation.ms(), simulation.game().unwrap(), &mut page);
        if simulation.ms() >= from_ms && simulation.ms().is_multiple_of(step_ms) {
            pages.push(page.clone());
        }
    }
    pages
}

/// Overwrites bytes of a page.
pub fn put(page: &mut [u8], at: usize, bytes: &[u8]) {
    page[at..at + bytes.len()].copy_from_slice(bytes);
}
