//! The table of parsers that read bytes from outside. Takes nothing, gives name, function and seeds of each parser;
//! `examples/mutate.rs` feeds them broken inputs for a while, `tests/it/found_inputs.rs` feeds them every input ever found.

#[path = "import_parsers.rs"]
pub(crate) mod import_parsers;
#[path = "seeds.rs"]
mod seeds;
#[path = "telemetry_v2_parsers.rs"]
mod telemetry_v2_parsers;

use std::path::PathBuf;

#[allow(unused_imports, reason = "the integration tests use them")]
pub(crate) use import_parsers::replay_files;

/// One parser. It may refuse its input, but it must come back: no panic, no hang.
pub(crate) struct Parser {
    /// Names the folder of kept inputs too, so it is a plain file name and does not change.
    pub(crate) name: &'static str,
    pub(crate) run: fn(&[u8]),
    /// Small valid inputs that reach deep into the parser: mutations of a valid file find more than random bytes.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
}

/// Every parser, in the order in which they are run.
pub(crate) fn parsers() -> Vec<Parser> {
    use gametape_format::column;
    let mut parsers = import_parsers::parsers();
    parsers.extend(telemetry_v2_parsers::parsers());
    parsers.extend([
        Parser { name: "tape", run: gametape_format::fuzz_tape, seeds: seeds::tapes },
        Parser { name: "tape-resealed", run: gametape_format::fuzz_tape_resealed, seeds: seeds::tapes },
        Parser { name: "journal", run: gametape_format::fuzz_journal, seeds: seeds::journals },
        Parser { name: "journal-resealed", run: gametape_format::fuzz_journal_resealed, seeds: seeds::journals },
        Parser { name: "descriptor", run: gametape_format::fuzz_descriptor, seeds: seeds::descriptors },
        Parser { name: "footer", run: gametape_format::fuzz_footer, seeds: seeds::footers },
        Parser { name: "index", run: gametape_format::fuzz_index, seeds: seeds::index_pages },
        Parser { name: "column-block", run: column::fuzz_block, seeds: seeds::column_blocks },
        Parser { name: "json-block", run: gametape_format::fuzz_json_block, seeds: seeds::json_blocks },
        Parser { name: "echo-answer", run: gametape_games::fuzz_echo_answer, seeds: seeds::echo_answers },
        Parser { name: "integers", run: column::fuzz_integers, seeds: seeds::integers },
        Parser { name: "watch-state", run: gametape::watch::fuzz_watch_state, seeds: seeds::watch_states },
        Parser { name: "replay-structure", run: gametape::watch::fuzz_replay_structure, seeds: seeds::replay_files },
        Parser { name: "processes", run: gametape::doctor::fuzz_processes, seeds: seeds::processes },
        Parser { name: "store-texts", run: gametape::store::fuzz_store_texts, seeds: seeds::store_texts },
        Parser { name: "status-request", run: gametape::play::fuzz_status_request, seeds: seeds::status_requests },
        Parser { name: "http-request", run: gametape::play::fuzz_http_request, seeds: seeds::http_requests },
        Parser { name: "play-header", run: gametape::play::fuzz_tape_header, seeds: seeds::play_headers },
        Parser { name: "ibt", run: gametape_games::fuzz_ibt, seeds: seeds::ibt_files },
        Parser { name: "irsdk-map", run: gametape_games::fuzz_irsdk_map, seeds: seeds::irsdk_maps },
        Parser { name: "frames", run: gametape_games::fuzz_frames, seeds: seeds::frames },
        Parser { name: "vehicles", run: gametape_games::fuzz_vehicles, seeds: seeds::vehicles },
        Parser { name: "datagrams", run: gametape_games::fuzz_datagram, seeds: seeds::datagrams },
        Parser { name: "user-settings", run: gametape_games::fuzz_user_settings, seeds: seeds::user_settings },
        Parser { name: "acc-broadcast", run: gametape_games::fuzz_broadcast, seeds: seeds::acc_broadcasts },
        Parser { name: "request-file", run: gametape::transport::fuzz_request_file, seeds: seeds::request_files },
        Parser { name: "requests", run: gametape_games::fuzz_requests, seeds: seeds::requests },
        Parser { name: "session-info", run: gametape_games::fuzz_session_info, seeds: seeds::session_texts },
    ]);
    #[cfg(target_os = "linux")]
    parsers.push(Parser { name: "proc-texts", run: gametape::transport::fuzz_proc_texts, seeds: seeds::proc_texts });
    parsers
}

/// Inputs that once broke the parser: `tests/found/NAME/*`, by file name.
pub(crate) fn found_inputs(name: &str) -> std::io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let dir = found_dir().join(name);
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    let mut paths = std::fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
    paths.sort();
    paths.into_iter().map(|path| std::fs::read(&path).map(|bytes| (path, bytes))).collect()
}

/// Where found inputs are kept, one folder for each parser.
pub(crate) fn found_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join("found")
}
