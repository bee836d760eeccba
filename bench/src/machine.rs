//! Describes the machine of a result in one line: commit, CPU and compiler.

use std::process::Command;

fn commit() -> Option<String> {
    let arguments = ["describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"];
    let output = Command::new("git").arg("-C").arg(env!("CARGO_MANIFEST_DIR")).args(arguments).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

fn cpu() -> Option<String> {
    let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = info.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_owned())
}

/// Returns commit, CPU, cores, system and compiler.
pub(crate) fn line() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!(
        "commit {}, {} ({cores} cores), {} {}, {}",
        commit().as_deref().unwrap_or("unknown"),
        cpu().as_deref().unwrap_or("CPU unknown"),
        std::env::consts::OS,
        std::env::consts::ARCH,
        env!("GAMETAPE_BENCH_RUSTC"),
    )
}
