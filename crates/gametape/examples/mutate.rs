//! Feeds broken inputs to one parser for some seconds. Takes a parser's name, gives exit code 0 if every input came back
//! without a panic and in time; otherwise the input is in `target/mutate/` and the output says how to keep it as a test.
//!
//! ```text
//! cargo run --release -p gametape --example mutate -- --list
//! cargo run --release -p gametape --example mutate -- NAME --seconds 20 --seed 1
//! ```
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program for people at a terminal")]

#[path = "mutate/mutator.rs"]
mod mutator;
#[path = "mutate/parsers.rs"]
mod parsers;

use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Seek, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use parsers::Parser;

const USAGE: &str = "usage: mutate --list
       mutate NAME [--seconds N] [--seed N]   broken inputs for N seconds (20), from seed N (1)
       mutate NAME --only N [--seed N]        write out and run the input of iteration N
       mutate NAME --input FILE               run one file";

/// An input that takes longer, twice in a row, is a hang.
const SLOW: Duration = Duration::from_secs(2);
/// An input that takes longer is a hang, and the process ends: it may never come back.
const STUCK: Duration = Duration::from_secs(10);

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("mutate: {error}");
            ExitCode::from(2)
        }
    }
}

#[derive(Default)]
struct Args {
    list: bool,
    help: bool,
    name: Option<String>,
    seconds: Option<u64>,
    seed: Option<u64>,
    only: Option<u64>,
    input: Option<PathBuf>,
}

fn parse_args() -> Result<Args, Box<dyn Error>> {
    let mut args = Args::default();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--list" => args.list = true,
            "--help" | "-h" => args.help = true,
            "--seconds" => args.seconds = Some(value()?.parse()?),
            "--seed" => args.seed = Some(value()?.parse()?),
            "--only" => args.only = Some(value()?.parse()?),
            "--input" => args.input = Some(value()?.into()),
            name if !name.starts_with('-') && args.name.is_none() => args.name = Some(name.to_owned()),
            other => return Err(format!("unexpected {other}\n{USAGE}").into()),
        }
    }
    Ok(args)
}

fn run() -> Result<ExitCode, Box<dyn Error>> {
    let args = parse_args()?;
    let table = parsers::parsers();
    if args.help {
        println!("{USAGE}");
        return Ok(ExitCode::SUCCESS);
    }
    if args.list {
        table.iter().for_each(|parser| println!("{}", parser.name));
        return Ok(ExitCode::SUCCESS);
    }
    let name = args.name.ok_or(USAGE)?;
    let parser = table.into_iter().find(|parser| parser.name == name);
    let parser = parser.ok_or(format!("no parser is called {name}; --list names them"))?;
    if let Some(path) = args.input {
        let bytes = std::fs::read(path)?;
        return Ok(verdict(&parser, &bytes));
    }
    let mut seeds = (parser.seeds)();
    seeds.extend(parsers::found_inputs(parser.name)?.into_iter().map(|(_, bytes)| bytes));
    let run_seed = args.seed.unwrap_or(1);
    if let Some(iteration) = args.only {
        let bytes = mutator::input(&seeds, run_seed, iteration);
        // Written first: whoever asks for one iteration expects the process to die in it.
        println!("input: {}", save(parser.name, &bytes)?.display());
        return Ok(verdict(&parser, &bytes));
    }
    mutate(&parser, seeds, run_seed, Duration::from_secs(args.seconds.unwrap_or(20)))
}

fn mutate(parser: &Parser, seeds: Vec<Vec<u8>>, run_seed: u64, time: Duration) -> Result<ExitCode, Box<dyn Error>> {
    let name = parser.name;
    let seeds = Arc::new(seeds);
    let at_path = mutate_dir()?.join(format!("{name}.at"));
    let mut at = OpenOptions::new().write(true).create(true).truncate(true).open(&at_path)?;
    println!(
        "{name}: seed {run_seed}, {} valid inputs. If the process dies, {} holds the iteration N; to see it again:\n  {} --only N --seed {run_seed}",
        seeds.len(),
        at_path.display(),
        command(name),
    );
    let current = watch_for_stuck(name, Arc::clone(&seeds), run_seed);
    let start = Instant::now();
    let mut iteration = 0;
    while start.elapsed() < time {
        let bytes = mutator::input(&seeds, run_seed, iteration);
        note_iteration(&mut at, iteration)?;
        *current.lock().unwrap_or_else(PoisonError::into_inner) = (Instant::now(), iteration);
        if let Err(problem) = try_input(parser, &bytes) {
            report(name, &problem, &bytes);
            return Ok(ExitCode::FAILURE);
        }
        iteration += 1;
    }
    // The file says "died here": a run that ended well leaves none.
    std::fs::remove_file(&at_path)?;
    println!("{name}: fine, {iteration} inputs in {:.1} s", start.elapsed().as_secs_f64());
    Ok(ExitCode::SUCCESS)
}

/// Runs one input, and a slow one again: a busy machine is not a hang.
fn try_input(parser: &Parser, bytes: &[u8]) -> Result<(), String> {
    for again in [false, true] {
        let start = Instant::now();
        if catch_unwind(AssertUnwindSafe(|| (parser.run)(bytes))).is_err() {
            return Err("panic".to_owned());
        }
        let took = start.elapsed();
        if took <= SLOW {
            break;
        }
        if again {
            return Err(format!("hang: {:.1} s, twice", took.as_secs_f64()));
        }
    }
    Ok(())
}

fn verdict(parser: &Parser, bytes: &[u8]) -> ExitCode {
    match try_input(parser, bytes) {
        Ok(()) => {
            println!("{}: fine, {} bytes", parser.name, bytes.len());
            ExitCode::SUCCESS
        }
        Err(problem) => {
            report(parser.name, &problem, bytes);
            ExitCode::FAILURE
        }
    }
}

/// Ends the process when an input does not come back. Gives the cell that holds start and number of the iteration.
fn watch_for_stuck(name: &'static str, seeds: Arc<Vec<Vec<u8>>>, run_seed: u64) -> Arc<Mutex<(Instant, u64)>> {
    let current = Arc::new(Mutex::new((Instant::now(), 0)));
    let watched = Arc::clone(&current);
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(200));
            let (since, iteration) = *watched.lock().unwrap_or_else(PoisonError::into_inner);
            if since.elapsed() > STUCK {
                let problem = format!("hang: no answer after {} s", STUCK.as_secs());
                report(name, &problem, &mutator::input(&seeds, run_seed, iteration));
                std::process::exit(1);
            }
        }
    });
    current
}

fn note_iteration(at: &mut File, iteration: u64) -> std::io::Result<()> {
    at.rewind()?;
    at.write_all(format!("{iteration}\n").as_bytes())
}

fn report(name: &str, problem: &str, bytes: &[u8]) {
    println!("{name}: FAILED, {problem}, input of {} bytes", bytes.len());
    match save(name, bytes) {
        Err(error) => println!("  the input could not be written: {error}"),
        Ok(path) => {
            let found = parsers::found_dir().join(name);
            println!("  see it again: {} --input {}", command(name), path.display());
            println!("  keep it:      mkdir -p {0} && cp {1} {0}/", found.display(), path.display());
            println!("  then `cargo test -p gametape --test found_inputs` runs it, and so does every mutation run");
        }
    }
}

fn command(name: &str) -> String {
    // A release build without these wraps where this one panics, and would show nothing.
    let checks = if cfg!(debug_assertions) {
        "CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true "
    } else {
        ""
    };
    format!("{checks}cargo run --release -p gametape --example mutate -- {name}")
}

fn save(name: &str, bytes: &[u8]) -> std::io::Result<PathBuf> {
    // FNV-1a: the same input always gets the same name.
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let path = mutate_dir()?.join(format!("{name}-{hash:016x}.bin"));
    match OpenOptions::new().write(true).create_new(true).open(&path) {
        Ok(mut file) => file.write_all(bytes)?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(error),
    }
    Ok(path)
}

fn mutate_dir() -> std::io::Result<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let dir = workspace.join(target).join("mutate");
    std::fs::create_dir_all(&dir)?;
    Ok(dir)
}
