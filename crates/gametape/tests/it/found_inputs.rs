//! Inputs that once broke a parser, and the seeds of the mutation run, go through their parsers.
#![forbid(unsafe_code)]

use crate::cpu_time::thread_time;
use crate::parsers;

use std::time::Duration;

#[test]
fn every_seed_and_every_input_ever_found_comes_back() {
    for parser in parsers::parsers() {
        for (number, seed) in (parser.seeds)().into_iter().enumerate() {
            println!("{} seed {number}", parser.name);
            run_in_time(parser.run, &seed);
        }
        for (path, bytes) in parsers::found_inputs(parser.name).unwrap() {
            println!("{}", path.display());
            run_in_time(parser.run, &bytes);
        }
    }
}

/// Far above what any input needs: a slow machine passes, an input that once hung does not.
fn run_in_time(run: fn(&[u8]), bytes: &[u8]) {
    let start = thread_time();
    run(bytes);
    let took = thread_time() - start;
    assert!(took < Duration::from_secs(10), "took {took:?} of processor time");
}

/// A parser that was renamed would leave its inputs behind, and nobody would miss them.
#[test]
fn every_folder_of_found_inputs_belongs_to_a_parser() {
    let dir = parsers::found_dir();
    if !dir.is_dir() {
        return;
    }
    let names: Vec<_> = parsers::parsers().iter().map(|parser| parser.name).collect();
    for entry in std::fs::read_dir(dir).unwrap() {
        let folder = entry.unwrap().file_name().into_string().unwrap();
        assert!(
            names.contains(&folder.as_str()),
            "tests/found/{folder}: no parser in examples/mutate/parsers.rs has this name"
        );
    }
}
