//! Compiles and runs the client. Without a C compiler, tests say so loudly and are skipped.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// A program that was compiled, and the folder that has it.
struct Built {
    _folder: tempfile::TempDir,
    program: PathBuf,
}

pub(crate) fn crate_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The tape of a game, from the repository.
pub(crate) fn game_tape(game: &str, case: &str) -> PathBuf {
    crate_folder().join(format!("../games/src/{game}/testcases/{case}/frames.gtape"))
}

pub(crate) fn acc_tape() -> PathBuf {
    game_tape("assetto_corsa_competizione", "lap-and-pits")
}

/// The folder with the tapes of the format's own tests.
pub(crate) fn golden() -> PathBuf {
    crate_folder().join("../format/tests/golden")
}

/// Prints that a test cannot run here.
pub(crate) fn skip(test: &str, why: &str) {
    eprintln!("SKIPPED {test}: {why}");
    if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
        let mut log = std::fs::OpenOptions::new().append(true).create(true).open(log).unwrap();
        log.write_all(format!("{test}\n").as_bytes()).unwrap();
    }
}

/// The folder in which cargo puts libraries: that of this test.
fn libraries() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_owned()
}

pub(crate) fn has_compiler() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| compiles(Path::new("/dev/null"), &[]))
}

/// Whether the compiler takes a program and links it, with these flags.
fn compiles(out: &Path, flags: &[&str]) -> bool {
    let mut probe = Command::new("cc");
    probe.args(["-xc", "-", "-o"]).arg(out).args(flags).stdin(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut probe) = probe.spawn() else { return false };
    probe.stdin.take().unwrap().write_all(b"#include <stdlib.h>\nint main(void) { return EXIT_SUCCESS; }\n").unwrap();
    probe.wait().unwrap().success()
}

impl Built {
    fn new() -> Option<Self> {
        if !cfg!(target_os = "linux") || !has_compiler() {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("client");
        // Finds what is freed twice, or never, or read after it was freed, on both sides of the border: memory of the library is C's too.
        let mut flags = vec!["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
        let probe = folder.path().join("probe");
        if !(compiles(&probe, &flags) && Command::new(&probe).status().is_ok_and(|status| status.success())) {
            eprintln!("the C compiler has no AddressSanitizer: the client runs without");
            flags.clear();
        }
        let libraries = libraries();
        let mut compiler = Command::new("cc");
        compiler.args(["-std=c11", "-O1", "-g", "-Wall", "-Wextra", "-pedantic", "-Werror"]).args(flags);
        compiler.arg("-I").arg(crate_folder().join("include")).arg(crate_folder().join("tests/c/client.c"));
        compiler.arg("-o").arg(&program).arg("-L").arg(&libraries).args(["-lgametape_c", "-lm"]);
        compiler.arg(format!("-Wl,-rpath,{}", libraries.display()));
        let said = compiler.output().unwrap();
        assert!(said.status.success(), "tests/c/client.c: {}", String::from_utf8_lossy(&said.stderr));
        Some(Self { _folder: folder, program })
    }
}

/// The client with these words, or `None`, after it was told that the test is skipped.
pub(crate) fn client(test: &str, words: &[&Path]) -> Option<Output> {
    static BUILT: OnceLock<Option<Built>> = OnceLock::new();
    let Some(built) = BUILT.get_or_init(Built::new) else {
        skip(test, "there is no C compiler");
        return None;
    };
    let mut command = Command::new(&built.program);
    command.args(words).stdin(Stdio::null());
    Some(command.output().unwrap())
}

/// What the client printed; it must have been content.
pub(crate) fn printed(test: &str, words: &[&Path]) -> Option<Vec<u8>> {
    let said = client(test, words)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(said.status.success(), "{words:?}: {:?}\n{}\n{}", said.status, text(&said.stdout), text(&said.stderr));
    Some(said.stdout)
}

/// What `gametape` prints, or `None`, after it was told that the test is skipped: the program is there if the whole workspace was built.
pub(crate) fn gametape(test: &str, words: &[&Path]) -> Option<Vec<u8>> {
    let program = libraries().parent().unwrap().join("gametape");
    if !program.is_file() {
        skip(test, "the program gametape was not built: cargo build -p gametape-cli");
        return None;
    }
    let said = Command::new(program).args(words).env("NO_COLOR", "1").stdin(Stdio::null()).output().unwrap();
    assert!(said.status.success(), "{words:?}: {}", String::from_utf8_lossy(&said.stderr));
    Some(said.stdout)
}

/// Words of a command line.
pub(crate) fn words<'a>(words: &'a [&'a str]) -> Vec<&'a Path> {
    words.iter().map(Path::new).collect()
}
