//! The code that runs beside a game, tested without one: `cargo test --example unit_test_from_tape`.
//!
//! Record a tape once, keep it beside your tests, and let it stand for the game.
#![allow(clippy::print_stdout)]
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use gametape::{Capture, IntoSource, acc};

/// Counts gear changes until the game ends, or the tape.
fn gear_changes(source: impl IntoSource) -> Result<u32, Box<dyn Error>> {
    let changes = Arc::new(AtomicU32::new(0));
    let (counter, mut last) = (Arc::clone(&changes), None);
    let capture = Capture::new()
        .source(source)
        .realtime_only()
        .on(move |_t, p: &acc::Physics| {
            assert!((0..10).contains(&p.gear), "gear {}", p.gear);
            if last.replace(p.gear).is_some_and(|last| last != p.gear) {
                counter.fetch_add(1, Ordering::Relaxed);
            }
        })
        .start()?;
    // An error if the callback panicked: its `assert!` is a check of the test, too.
    capture.wait_for_end()?;
    Ok(changes.load(Ordering::Relaxed))
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("{} gear changes", gear_changes(acc::physics())?);
    Ok(())
}

#[test]
fn gears_change_as_often_as_on_the_tape() -> Result<(), Box<dyn Error>> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../games/src/assetto_corsa_competizione/testcases/lap-and-pits/frames.gtape"
    );
    assert_eq!(gear_changes(gametape::Tape::open(path)?)?, 9);
    Ok(())
}
