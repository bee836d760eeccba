//! Tapes to play: the simulated car as Competizione shows it, rows as long as iRacing's, and hours of pages.

use std::path::Path;

use anyhow::{Context as _, Result};
use gametape::games::{acc, iracing};
use gametape::layout::stream_of_layout;
use gametape_format::{Role, StreamSpec};
use zerocopy::IntoBytes as _;

use super::super::game::drive;
use crate::data::{acc_pages, generated};
use crate::peers::gametape::builder;
use crate::scale::pages::{LongPages, PAGE_NS};

const TICKS_PER_SECOND: u64 = 60;
/// As many as the current game has, most of them arrays over all cars.
const SINGLES: usize = 200;
const ARRAYS: usize = 35;
const CARS: usize = 64;
/// A full field; the entries of absent cars hold -1.
const CARS_PRESENT: usize = 24;

/// Writes physics at 100 Hz, graphics at 60 Hz, static once.
pub(super) fn pages(path: &Path, seconds: u64) -> Result<()> {
    let mut builder = builder(path)?;
    let mut ids = Vec::new();
    for stream in [&acc::PHYSICS, &acc::GRAPHICS, &acc::STATIC] {
        let layout = stream.layouts().first().context("no layout")?;
        ids.push(builder.add_stream(stream_of_layout(acc::GAME.id, stream.name, "shm", layout), 0)?);
    }
    let &[physics, graphics, statics] = ids.as_slice() else { anyhow::bail!("expected three pages") };
    let mut last_graphics = None;
    let samples = drive().sample(100);
    for (time_ns, pages) in samples.take_while(|(time_ns, _)| *time_ns < seconds * 1_000_000_000) {
        if last_graphics.is_none() {
            builder.append(statics, time_ns, pages.static_page.as_bytes())?;
        }
        builder.append(physics, time_ns, pages.physics.as_bytes())?;
        if last_graphics != Some(pages.graphics.packet_id) {
            last_graphics = Some(pages.graphics.packet_id);
            builder.append(graphics, time_ns, pages.graphics.as_bytes())?;
        }
    }
    builder.finish()?;
    Ok(())
}

/// Writes hours of physics pages.
pub(super) fn long(path: &Path, seconds: u64) -> Result<()> {
    let mut pages = LongPages::new(acc_pages::build(&generated::made_up_log(300, 1))?, seconds)?;
    let mut builder = builder(path)?;
    let layout = acc::PHYSICS.layouts().first().context("no layout")?;
    let physics = builder.add_stream(stream_of_layout(acc::GAME.id, "physics", "shm", layout), 0)?;
    let mut number = 0;
    while let Some((_, page)) = pages.next_page() {
        builder.append(physics, number * PAGE_NS, page)?;
        number += 1;
    }
    builder.finish()?;
    Ok(())
}

/// Writes rows of 9.8 kB at 60 Hz.
pub(super) fn rows(path: &Path, seconds: u64) -> Result<()> {
    let mut variables = Vec::new();
    let mut row_bytes = 0;
    let names = std::iter::once("SessionTick".to_owned()).chain((1..SINGLES).map(|number| format!("Value{number}")));
    let singles = names.map(|name| (name, 1));
    let arrays = (0..ARRAYS).map(|number| (format!("CarIdxValue{number}"), CARS));
    for (index, (name, count)) in singles.chain(arrays).enumerate() {
        // The tick is an i32, all others are floats.
        let kind = if index == 0 { 2_i32 } else { 4 };
        let mut header = vec![0; iracing::VAR_HEADER_BYTES];
        let numbers = [(0, kind), (4, i32::try_from(row_bytes)?), (8, i32::try_from(count)?)];
        for (at, number) in numbers {
            header.splice(at..at + 4, number.to_le_bytes());
        }
        header.splice(16..16 + name.len(), name.bytes());
        variables.extend(header);
        row_bytes += 4 * count;
    }
    let table = iracing::read_var_headers(&variables, u32::try_from(row_bytes)?)?;
    let mut builder = builder(path)?;
    let telemetry = builder.add_stream(stream_of_layout(iracing::GAME.id, "telemetry", "shm", &table.layout), 0)?;
    let describing = |name: &str| StreamSpec {
        game: iracing::GAME.id.into(),
        role: Role::Describe,
        describes: Some(telemetry),
        ..StreamSpec::rows(name)
    };
    let headers = builder.add_stream(describing("telemetry.variables"), 0)?;
    let text = builder.add_stream(describing("session-text"), 0)?;
    builder.append(headers, 0, &variables)?;
    builder.append(text, 0, b"---\nWeekendInfo:\n TrackName: bench\n\n...\n")?;
    for tick in 0..seconds * TICKS_PER_SECOND {
        let mut row = Vec::with_capacity(row_bytes);
        row.extend(i32::try_from(tick + 1)?.to_le_bytes());
        let moving = |value: usize| (tick as f32 * 0.01 + value as f32).sin();
        row.extend((1..SINGLES).flat_map(|value| moving(value).to_le_bytes()));
        let cars = (0..ARRAYS * CARS).map(|value| if value % CARS < CARS_PRESENT { moving(value) } else { -1.0 });
        row.extend(cars.flat_map(f32::to_le_bytes));
        builder.append(telemetry, tick * 1_000_000_000 / TICKS_PER_SECOND, &row)?;
    }
    builder.finish()?;
    Ok(())
}
