//! Locates the `gametape` program built from this source.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context as _, Result, ensure};

use super::say;

const NAME: &str = "gametape";

/// Returns the path of the `gametape` next to this program. Builds it if it is missing or older than the sources.
pub(crate) fn find() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.parent().context("this program's path has no parent folder")?;
    let program = folder.join(format!("{NAME}{}", std::env::consts::EXE_SUFFIX));
    if !is_up_to_date(&program) {
        build(folder)?;
    }
    ensure!(program.is_file(), "{} does not exist: run cargo build --release -p gametape-cli", program.display());
    Ok(program)
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn is_up_to_date(program: &Path) -> bool {
    let built = program.metadata().and_then(|metadata| metadata.modified());
    // If the sources are gone, use the existing program.
    built.is_ok_and(|built| newest_source().is_none_or(|newest| newest <= built))
}

fn newest_source() -> Option<SystemTime> {
    let crates = std::fs::read_dir(workspace().join("crates")).ok()?;
    let mut paths: Vec<PathBuf> = crates.flatten().map(|one| one.path().join("src")).collect();
    paths.push(workspace().join("Cargo.lock"));
    let mut newest = None;
    while let Some(path) = paths.pop() {
        newest = newest.max(path.metadata().and_then(|metadata| metadata.modified()).ok());
        paths.extend(std::fs::read_dir(path).into_iter().flatten().flatten().map(|one| one.path()));
    }
    newest
}

/// Builds it into the folder of this program, with the same profile.
fn build(folder: &Path) -> Result<()> {
    let release = folder.file_name().is_some_and(|name| name == "release");
    let target = folder.parent().context("this program is not in a target folder")?;
    let profile = if release { "release" } else { "dev" };
    say(&format!("building {NAME}, which is missing or older than its sources"));
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(workspace()).args(["build", "--package", "gametape-cli", "--profile", profile]);
    let status = command.arg("--target-dir").arg(target).status().context("starting cargo")?;
    ensure!(status.success(), "cargo build --package gametape-cli --profile {profile} failed: see its output above");
    Ok(())
}
