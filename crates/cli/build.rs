//! Builds the web UI for embedding. Takes `web/` of the repository, writes `web_files.rs` to `OUT_DIR`: a list of files with
//! their bytes; and `report_template.rs`: the page of `export --to html` without its data.
//!
//! ```text
//! web/ ──copy──▶ OUT_DIR/web-HASH ──npm ci, npm run build──▶ OUT_DIR/web-HASH/dist ──▶ OUT_DIR/web_files.rs
//! ```
//! The source tree is never written to. A build for the same hash of `web/` is reused. Without npm, without `web/` (a packaged crate)
//! or without a network, the list is empty and the server shows a plain page instead; this is a warning, not an error.
//! `GAMETAPE_WEB_DIST` names a folder with a finished build.
#![allow(clippy::print_stdout, reason = "build scripts pass instructions to cargo on stdout")]

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hasher};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The parts of `web/` that the build needs. Tests and `node_modules` are not among them. The WebAssembly of the viewer is not built here: it takes
/// another target and a minute. `scripts/viewer-wasm` adds it to a finished build.
const PARTS: [&str; 12] = [
    "src",
    "report",
    "viewer",
    "public",
    "build",
    "index.html",
    "package.json",
    "package-lock.json",
    "vite.config.ts",
    "vite.report.config.ts",
    "vite.viewer.config.ts",
    ".npmrc",
];
/// The page of reports; not served by the server.
const REPORT: &str = "report-template.html";
const DIST: &str = "GAMETAPE_WEB_DIST";

fn main() -> Outcome<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={DIST}");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let web = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").ok_or("no CARGO_MANIFEST_DIR")?).join("../../web");
    let dist = match std::env::var_os(DIST).filter(|dist| !dist.is_empty()) {
        Some(dist) => Some(built_before(Path::new(&dist))?),
        None => build(&web, &out),
    };
    let list = match &dist {
        Some(dist) => list(dist)?,
        None => "&[]".to_owned(),
    };
    write_new(&out.join("web_files.rs"), list.as_bytes())?;
    // A build from before reports existed has no template.
    let template = dist.map(|dist| dist.join(REPORT)).filter(|template| template.is_file());
    let template = template.map_or_else(|| "None".to_owned(), |template| format!("Some(include_str!({template:?}))"));
    write_new(&out.join("report_template.rs"), template.as_bytes())
}

/// Checks a folder with a finished build. A wrong path is an error, since it was named explicitly.
fn built_before(dist: &Path) -> Outcome<PathBuf> {
    println!("cargo::rerun-if-changed={}", dist.display());
    if !dist.join("index.html").is_file() {
        return Err(format!("{DIST} is {}, which has no index.html", dist.display()).into());
    }
    Ok(fs::canonicalize(dist)?)
}

/// Builds the page, or prints a warning.
fn build(web: &Path, out: &Path) -> Option<PathBuf> {
    if !web.join("package.json").is_file() {
        println!("cargo::warning=this package has no web UI: the server will show a plain page");
        return None;
    }
    for part in PARTS {
        println!("cargo::rerun-if-changed={}", web.join(part).display());
    }
    match build_in(web, out) {
        Ok(dist) => Some(dist),
        Err(error) => {
            // A path that never exists makes cargo rerun the script with the next build.
            println!("cargo::rerun-if-changed={}", out.join("web-not-built").display());
            println!("cargo::warning=cannot build the web UI, the server will show a plain page: {error}");
            None
        }
    }
}

fn build_in(web: &Path, out: &Path) -> Outcome<PathBuf> {
    // The lock keeps concurrent builds apart; a failed build must not leave an incomplete page.
    let lock = OpenOptions::new().create(true).truncate(false).write(true).open(out.join("web.lock"))?;
    lock.lock()?;
    let sources = sources(web)?;
    let place = out.join(format!("web-{:016x}", hash_of(&sources)));
    let dist = place.join("dist");
    if place.join("built").is_file() {
        return Ok(dist);
    }
    for entry in fs::read_dir(out)?.flatten() {
        if entry.file_name().to_string_lossy().starts_with("web-") {
            fs::remove_dir_all(entry.path())?;
        }
    }
    for (name, bytes) in &sources {
        let path = place.join(name);
        fs::create_dir_all(path.parent().ok_or("no folder")?)?;
        write_new(&path, bytes)?;
    }
    npm(&place, &["ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"])?;
    npm(&place, &["run", "build"])?;
    // 30 MB that are no longer needed.
    fs::remove_dir_all(place.join("node_modules"))?;
    File::create_new(place.join("built"))?;
    Ok(dist)
}

/// Returns all files of the page, by path.
fn sources(web: &Path) -> Outcome<BTreeMap<String, Vec<u8>>> {
    let mut found = BTreeMap::new();
    for part in PARTS {
        for (name, path) in files(&web.join(part), part)? {
            found.insert(name, fs::read(path)?);
        }
    }
    Ok(found)
}

/// Returns the files under a path, or the path itself, with their names.
fn files(path: &Path, name: &str) -> Outcome<Vec<(String, PathBuf)>> {
    if path.is_file() {
        return Ok(vec![(name.to_owned(), path.to_owned())]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))? {
        let entry = entry?;
        let inner = entry.file_name().into_string().map_err(|name| format!("{}: not valid Unicode", name.display()))?;
        let inner = if name.is_empty() { inner } else { format!("{name}/{inner}") };
        found.extend(files(&entry.path(), &inner)?);
    }
    found.sort();
    Ok(found)
}

fn hash_of(files: &BTreeMap<String, Vec<u8>>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for (name, bytes) in files {
        hasher.write(name.as_bytes());
        hasher.write_usize(bytes.len());
        hasher.write(bytes);
    }
    hasher.finish()
}

fn npm(place: &Path, arguments: &[&str]) -> Outcome<()> {
    let program = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let ran = Command::new(program).args(arguments).current_dir(place).output();
    let output = ran.map_err(|error| format!("cannot run {program} ({error}): install Node.js 20.19 or newer"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let last: Vec<_> = said.lines().filter(|line| !line.trim().is_empty()).rev().take(6).collect();
    let last: Vec<_> = last.into_iter().rev().collect();
    Err(format!("`npm {}` failed: {}", arguments.join(" "), last.join(" | ")).into())
}

/// Returns the list as Rust code, which `server/web.rs` includes.
fn list(dist: &Path) -> Outcome<String> {
    let mut text = String::from("&[\n");
    for (name, path) in files(dist, "")? {
        if path.extension() == Some(OsStr::new("gz")) || name == REPORT {
            continue;
        }
        let bytes = fs::read(&path)?;
        let packed = PathBuf::from(format!("{}.gz", path.display()));
        let packed = if packed.is_file() { format!("Some(include_bytes!({packed:?}))") } else { "None".to_owned() };
        let tag = hash_of(&BTreeMap::from([(name.clone(), bytes)]));
        writeln!(
            text,
            "    WebFile {{ path: {:?}, tag: \"{tag:016x}\", bytes: include_bytes!({path:?}), gzip: {packed} }},",
            format!("/{name}")
        )?;
    }
    text.push(']');
    Ok(text)
}

/// Writes a file in our own folder.
fn write_new(path: &Path, bytes: &[u8]) -> Outcome<()> {
    let mut file = OpenOptions::new().create(true).truncate(true).write(true).open(path)?;
    Ok(file.write_all(bytes)?)
}
