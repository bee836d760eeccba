//! Speed of the lap tracker on pages of a drive in memory, in frames per second. Single-threaded.
//!
//! A frame is a page as the game writes it. The game's adapter decodes each page; a graphics page also advances the
//! tracker by one step, with everything it derives (laps, sectors, bests, track model).

use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use gametape::format::TapeId;
use gametape::games::acc;
use gametape::laps::{Event, Tracking};
use gametape::layout::stream_of_layout;
use gametape_format::StreamSpec;
use gametape_simulator::{Script, Settings, Simulation};
use zerocopy::IntoBytes as _;

use super::figures::{Figure, quantile};
use super::system;

const PART: &str = "tracking";
/// Five minutes: several laps, and more data than any cache holds.
const MOMENTS: usize = 30_000;
const HZ: u32 = 100;
const TARGET: f64 = 2.0;

/// Returns the three streams of a Competizione tape, in the order of [`super::retrack`].
pub(super) fn streams() -> Result<[StreamSpec; 3]> {
    let spec = |stream: &gametape::games::Stream| -> Result<StreamSpec> {
        let layout = stream.layouts().first().context("no layout")?;
        Ok(stream_of_layout(acc::GAME.id, stream.name, "shm", layout))
    };
    Ok([spec(&acc::PHYSICS)?, spec(&acc::GRAPHICS)?, spec(&acc::STATIC)?])
}

/// Tracks a drive several times; the first round is not counted.
pub(super) fn measure(rounds: usize) -> Result<Vec<Figure>> {
    let streams = streams()?;
    let drive: Vec<_> = Simulation::driving(Settings::default(), Script::new()).sample(HZ).take(MOMENTS).collect();
    let statics = drive.first().context("no drive")?.1.static_page;
    let (mut both, mut graphics_alone, mut by_processor) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..=rounds {
        for (with_physics, millions) in [(true, &mut both), (false, &mut graphics_alone)] {
            let mut events = Vec::new();
            let mut tracking = Tracking::new(acc::GAME.id, TapeId([1; 16]), &streams)?;
            tracking.frame(2, 0, statics.as_bytes(), &mut events);
            let (start, start_processor_s) = (Instant::now(), system::own_processor_s()?);
            for (time_ns, pages) in &drive {
                if with_physics {
                    tracking.frame(0, *time_ns, pages.physics.as_bytes(), &mut events);
                }
                tracking.frame(1, *time_ns, pages.graphics.as_bytes(), &mut events);
            }
            let frames = drive.len() * if with_physics { 2 } else { 1 };
            let seconds = start.elapsed().as_secs_f64();
            let processor_s = system::own_processor_s()? - start_processor_s;
            let laps = events.iter().filter(|event| matches!(event, Event::LapFinal(_))).count();
            ensure!(laps > 3, "only {laps} laps in {} moments: tracking does not work", drive.len());
            if round > 0 {
                millions.push(frames as f64 / seconds / 1e6);
                if with_physics {
                    by_processor.push(frames as f64 / processor_s / 1e6);
                }
            }
        }
    }
    let figure = |what: &str, list: &mut Vec<f64>| {
        list.sort_by(f64::total_cmp);
        Figure::new(PART, what, quantile(list, 0.5), "million/s").digits(2)
    };
    let all = figure("frames: physics and graphics pages in turn", &mut both).at_least(TARGET);
    let lowest = Figure::new(PART, "  the slowest of the rounds", quantile(&both, 0.0), "million/s").digits(2);
    let own = figure("  by processor time: as if nobody else wanted the core", &mut by_processor);
    let graphics = figure("  graphics pages alone: each moves the tracker", &mut graphics_alone);
    Ok(vec![all, lowest, own, graphics])
}
