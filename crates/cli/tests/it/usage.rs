//! Help, completions and the manual page.
#![allow(clippy::unwrap_used, missing_docs)]
use crate::support;

use support::Bench;

#[test]
fn wrong_arguments_are_2_and_help_is_0_on_stdout() {
    let bench = Bench::new();
    bench.expect(2, &["nonsense"]);
    bench.expect(2, &["info", "--nonsense"]);
    bench.expect(2, &["demo", "--speed", "1000"]);
    bench.expect(2, &["demo", "--names", "a/b"]);
    bench.expect(2, &["merge", "one", "-o", "out"]);
    bench.expect(2, &["cut", "a", "-o", "b"]).is_one_error_with(&["--from"]);
    let help = bench.expect(0, &["--help"]);
    assert!(help.out.contains("gametape demo --exit") && help.err.is_empty());
    assert!(help.out.contains("\n  top"), "{}", help.out);
    assert!(bench.expect(0, &["demo", "--help"]).out.contains("not a game"));
}

#[test]
fn completions_and_manual_page_go_to_stdout() {
    let bench = Bench::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(bench.expect(0, &["completions", shell]).out.contains("gametape"));
    }
    let man = bench.expect(0, &["man"]).out;
    assert!(man.starts_with(".ie") || man.contains(".TH gametape"), "{man}");
    assert!(man.contains("against"), "options of the commands are in it");
    assert!(!man.contains("(1)"), "it refers to no page that is not there");
    assert!(bench.expect(0, &["man", "export"]).out.contains("gametape\\-export"));
    bench.expect(4, &["man", "nonsense"]).is_one_error_with(&["nonsense", "--help"]);
    let pages = bench.path("man1");
    bench.expect(0, &["man", "-o", support::text(&pages)]);
    // Every referenced page exists.
    for page in std::fs::read_dir(&pages).unwrap() {
        let roff = std::fs::read_to_string(page.unwrap().path()).unwrap();
        for name in roff.lines().filter_map(|line| line.strip_suffix("(1)")) {
            assert!(pages.join(format!("{}.1", name.replace('\\', ""))).is_file(), "{name}");
        }
    }
    assert!(pages.join("gametape.1").is_file() && pages.join("gametape-laps-rebuild.1").is_file());
}

#[test]
fn rewriting_commands_overwrite_nothing() {
    let bench = Bench::new();
    let tape = bench.demo_tape();
    let out = support::ibt::put(&bench.path("mine.gtape"), b"mine");
    let out = support::text(&out);
    for arguments in [
        vec!["cut", &tape, "--from", "1", "-o", out],
        vec!["merge", &tape, &tape, "-o", out],
        vec!["recover", &tape, "-o", out],
    ] {
        bench.expect(1, &arguments).is_one_error_with(&["mine.gtape", "was not overwritten"]);
    }
    assert_eq!(std::fs::read(out).unwrap(), b"mine");
}

#[test]
fn errors_say_what_to_do_next() {
    let bench = Bench::new();
    let (tape, source) = bench.imported(10);
    let out = bench.path("out.gtape");
    let out = support::text(&out);
    let no_folder = bench.path("none/out.gtape");
    let no_folder = support::text(&no_folder);
    let json = support::ibt::put(&bench.path("x.json"), b"{}");
    let json = support::text(&json);
    let undated = undated(&bench);
    for (code, arguments, words) in [
        (1, vec!["merge", &tape, &undated, "-o", out], vec!["undated.gtape", "UTC", "without it"]),
        (1, vec!["info", json], vec!["JSON", "gametape import"]),
        (1, vec!["cut", &tape, "--from", "0", "-o", no_folder], vec!["none", "another folder with -o"]),
        (1, vec!["merge", &tape, &tape, "-o", no_folder], vec!["none", "another folder with -o"]),
        (1, vec!["recover", &tape, "-o", no_folder], vec!["none", "another folder with -o"]),
        (1, vec!["import", &tape], vec!["already a tape", "needs no import"]),
        (1, vec!["import", no_folder], vec!["cannot read", "check the path"]),
        (1, vec!["import", &source, "-o", &tape], vec!["exists", "another name"]),
        (1, vec!["verify", &undated, "--against", &source], vec!["not imported", "source_file"]),
        (4, vec!["cat", &tape, "--channels", "qqqqqq"], vec!["qqqqqq", "gametape info --channels"]),
        (2, vec!["top"], vec!["not a terminal", "gametape laps --json"]),
        (2, vec!["top", "--server", "https://rig"], vec!["http://host:7223", "TLS"]),
    ] {
        bench.expect(code, &arguments).is_one_error_with(&words);
        assert!(!bench.path("out.gtape").exists());
    }
}

/// A tape whose recorder did not know the time of day.
fn undated(bench: &Bench) -> String {
    use gametape::format::write::{StdFiles, TapeBuilder, WriteOptions};
    let path = bench.path("undated.gtape");
    let options = WriteOptions::new(gametape::identity::new_id());
    TapeBuilder::create(std::sync::Arc::new(StdFiles), &path, &options, false).unwrap().finish().unwrap();
    support::text(&path).to_owned()
}
