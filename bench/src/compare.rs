//! `size` and `speed`: all peers on all data sets, as a table or as JSON.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::data::{DataSet, REAL_DATA, file, generated, ibt, load_real};
use crate::machine;
use crate::measure::{Row, measure};
use crate::peers;
use crate::report::{View, json, table, targets};

const GENERATED_SECONDS: usize = 60;
const GENERATED_SEED: u64 = 20_240_601;

/// What to measure, and how to print the result.
#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Measure this file of fixed-size frames instead of the known data sets
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// Bytes per frame of --input
    #[arg(long, value_name = "N", requires = "input")]
    frame_bytes: Option<usize>,
    /// Offset of the first frame of --input
    #[arg(long, value_name = "N", requires = "input", default_value_t = 0)]
    offset: usize,
    /// Columns of --input, one per line: byte offset, width, f or i; `ibt` for an .ibt file
    #[arg(long, value_name = "FILE", requires = "input")]
    layout: Option<PathBuf>,
    /// Frames per second of --input
    #[arg(long, value_name = "N", requires = "input", default_value_t = 60)]
    hz: u64,
    /// Only these methods
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    methods: Vec<String>,
    /// Repetitions after the warm-up [default: 3 for size; for speed 9, up to 31 if the data is small]
    #[arg(long, value_name = "N")]
    repetitions: Option<usize>,
    /// Directory for temporary files
    #[arg(long, value_name = "DIRECTORY")]
    directory: Option<PathBuf>,
}

fn load_input(args: &CompareArgs, path: &PathBuf) -> Result<DataSet> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let data = std::fs::read(path)?;
    match &args.layout {
        Some(layout) if layout.as_os_str() == "ibt" => ibt::parse(&name, &data),
        layout => {
            let row_bytes = args.frame_bytes.context("--frame-bytes is required unless --layout is ibt")?;
            let read = |path: &PathBuf| std::fs::read_to_string(path).with_context(|| path.display().to_string());
            let text = layout.as_ref().map(read).transpose()?;
            file::parse(&name, &data, args.offset, row_bytes, text.as_deref(), args.hz)
        }
    }
}

fn load(args: &CompareArgs) -> Result<Vec<DataSet>> {
    if let Some(path) = &args.input {
        return Ok(vec![load_input(args, path).with_context(|| path.display().to_string())?]);
    }
    let mut sets = load_real(std::env::var_os(REAL_DATA).map(PathBuf::from), |word| eprintln!("{word}"));
    sets.push(generated::many_streams(GENERATED_SECONDS, GENERATED_SEED)?);
    Ok(sets)
}

/// Measures and prints.
pub(crate) fn run(args: &CompareArgs, view: View) -> Result<()> {
    if args.methods.is_empty() {
        peers::ensure_all()?;
    }
    for name in &args.methods {
        ensure!(peers::ALL.iter().any(|peer| peer.name() == name), "unknown method {name}");
    }
    let wanted = |name: &str| args.methods.is_empty() || args.methods.iter().any(|wanted| wanted == name);
    let peers: Vec<&dyn peers::Peer> = peers::ALL.iter().copied().filter(|peer| wanted(peer.name())).collect();
    let repetitions = |set: &DataSet| match (args.repetitions, view) {
        (Some(wanted), _) => wanted,
        (None, View::Size) => 3,
        (None, View::Speed) => (100_000_000 / set.raw_bytes().max(1)).clamp(9, 31) as usize,
    };
    let files = args.directory.clone().unwrap_or_else(std::env::temp_dir);

    let mut rows: Vec<Row> = Vec::new();
    for set in load(args)? {
        rows.extend(measure(&set, &peers, repetitions(&set), &files)?);
    }
    if args.json {
        println!("{}", json(&rows)?);
    } else {
        println!("{}\n\n{}\n{}", machine::line(), table(&rows, view), targets(&rows, view).trim_end());
    }
    Ok(())
}
