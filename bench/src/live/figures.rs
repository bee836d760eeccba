//! Prints recordings: one line per figure, with its target.

use super::LiveRow;
use crate::table::aligned;

const MB: f64 = 1e6;

/// Upper limits of the figures at a rate.
struct Limits {
    core_percent: Option<f64>,
    resident_mb: Option<f64>,
    missed: Option<f64>,
    lost: Option<f64>,
}

fn limits(hz: u32) -> Limits {
    match hz {
        100 => Limits { core_percent: Some(0.5), resident_mb: Some(20.0), missed: Some(0.0), lost: Some(0.0) },
        1000 => Limits { core_percent: Some(5.0), resident_mb: None, missed: None, lost: Some(0.0) },
        _ => Limits { core_percent: None, resident_mb: None, missed: None, lost: None },
    }
}

const STOP_MS: f64 = 1000.0;

/// Formats all figures of all recordings.
pub(super) fn table(rows: &[LiveRow]) -> String {
    let mut lines = Vec::new();
    for row in rows {
        let (cost, limits) = (&row.cost, limits(row.hz));
        let mut line = |what: &str, unit: &str, digits: usize, value: f64, most: Option<f64>| {
            let most_text = most.map_or_else(String::new, |most| match most {
                0.0 => "0".to_owned(),
                most => format!("<= {most}"),
            });
            let verdict = most.map_or("", |most| if value <= most { "met" } else { "MISSED" });
            let rate = format!("{} Hz", row.hz);
            let words = [&rate, what, &format!("{value:.digits$}"), unit, &most_text, verdict];
            lines.push(words.map(str::to_owned).to_vec());
        };
        let mb = |kib: u64| kib as f64 * 1024.0 / MB;
        line("processor", "% of one core", 2, row.core_percent, limits.core_percent);
        line("  a process that only wakes", "% of one core", 2, row.bare.core_percent, None);
        let share = |time_ns: u64| time_ns as f64 * 100.0 / cost.wall_ns.max(1) as f64;
        for thread in &cost.threads {
            line(&format!("  threads {}", thread.name), "% of one core", 2, share(thread.processor_ns), None);
            line("    had to wait for a processor", "ms", 1, thread.waited_ns as f64 / 1e6, None);
        }
        if let Some(stolen_ms) = cost.stolen_ms {
            line("  kept by the machine's host", "ms", 0, stolen_ms as f64, None);
        }
        line("resident memory, the most", "MB", 1, mb(cost.memory.peak_kib), limits.resident_mb);
        line("resident memory at the end", "MB", 1, mb(cost.memory.now_kib), limits.resident_mb);
        line("  heap and stacks", "MB", 1, mb(cost.memory.own_kib), None);
        line("  mapped files: program, journals", "MB", 1, mb(cost.memory.files_kib), None);
        line("  mapped files in memory", "MB", 1, mb(cost.memory.shared_kib), None);
        line("ticks", "", 0, cost.ticks as f64, None);
        line("ticks missed", "", 0, cost.most(|stream| stream.missed) as f64, limits.missed);
        line("ticks late", "", 0, cost.most(|stream| stream.late) as f64, None);
        line("copies torn and made again", "", 0, cost.sum(|stream| stream.torn) as f64, None);
        line("jitter, p50", "us", 0, cost.jitter.p50_us, None);
        line("jitter, p99", "us", 0, cost.jitter.p99_us, None);
        line("jitter, the most", "us", 0, cost.jitter.max_us, None);
        line("  only waking: the most", "us", 0, row.bare.jitter.max_us, None);
        line("  only waking: missed, of half a minute", "", 0, row.bare.missed as f64, None);
        line("frames accepted", "", 0, cost.accepted as f64, None);
        line("frames lost", "", 0, row.lost as f64, limits.lost);
        line("frames the game never wrote", "", 0, row.never_written as f64, None);
        line("SIGINT to whole tape", "ms", 0, row.stop_ms, Some(STOP_MS));
        for stored in &row.stored {
            line(&format!("an hour, {}", stored.method), "MB", 1, stored.hour_bytes as f64 / MB, None);
        }
    }
    // Numbers are right-aligned, their units left-aligned.
    for line in &mut lines {
        if let Some(value) = line.get_mut(2) {
            *value = format!("{value:>10}");
        }
    }
    aligned(&["rate", "what", "  measured", "", "must be", ""], &lines, 6)
}
