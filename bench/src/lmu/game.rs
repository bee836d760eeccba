//! The game of `lmu`: the simulated race in shared memory at 100 Hz, under the lock of the game, until standard input ends.

use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Args;
use gametape::games::le_mans_ultimate::{LOCK_SECTION, SECTION};
use gametape::sys::{SectionWriter, sleep_until, wake_exactly};
use gametape_simulator::{Race, RaceSettings, STEP_MS};

use super::PAGE_BYTES;
use crate::live::prefix;

/// Printed once the section exists.
pub(super) const READY: &str = "ready";
/// What the game allocates.
const SECTION_BYTES: u64 = 324_824;
const BUSY_AT: u64 = 4;

/// Where the pages go, and how many cars race.
#[derive(Debug, Args)]
pub(crate) struct GameArgs {
    /// Prefix of the names
    names: String,
    #[arg(long)]
    cars: u32,
}

/// Returns the race, the same each time.
pub(super) fn race(cars: u32) -> Race {
    Race::new(RaceSettings { cars: cars as usize, ..RaceSettings::default() })
}

/// Returns a flag that is set when standard input ends, which also happens when the parent is gone.
pub(super) fn input_ended() -> Arc<AtomicBool> {
    let ended = Arc::<AtomicBool>::default();
    let flag = Arc::clone(&ended);
    std::thread::spawn(move || {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        flag.store(true, Ordering::Relaxed);
    });
    ended
}

/// Races until standard input ends.
pub(crate) fn run(args: &GameArgs) -> Result<()> {
    let ended = input_ended();
    let prefix = prefix(&args.names)?;
    let section = SectionWriter::create(&prefix.section(SECTION), SECTION_BYTES)?;
    let lock = SectionWriter::create(&prefix.section(LOCK_SECTION), 8)?;
    println!("{READY}");
    std::io::stdout().flush()?;
    wake_exactly();
    let (mut race, mut page, mut next) = (race(args.cars), vec![0; PAGE_BYTES], Instant::now());
    while !ended.load(Ordering::Relaxed) {
        race.step();
        race.write_lmu(&mut page);
        next += Duration::from_millis(STEP_MS);
        sleep_until(next);
        lock.write(BUSY_AT, &1_i32.to_le_bytes())?;
        section.write(0, &page)?;
        lock.write(BUSY_AT, &0_i32.to_le_bytes())?;
    }
    section.remove()?;
    lock.remove()?;
    Ok(())
}
