//! A game in Wine: `tests/windows/game.c` does what a script says. Where Wine or mingw is missing, tests say so loudly and are skipped.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used, clippy::panic, clippy::print_stdout)]
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// The Wine prefix of these tests and the built game.
pub struct Wine {
    folder: tempfile::TempDir,
    prefix: PathBuf,
}

fn scripts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/windows").canonicalize().unwrap()
}

/// Wine, if it can be had; else the skip of this test is told.
pub fn wine(test: &str) -> Option<&'static Wine> {
    static WINE: OnceLock<Option<Wine>> = OnceLock::new();
    let wine = WINE.get_or_init(Wine::prepare).as_ref();
    if wine.is_none() {
        println!("SKIPPED {test}: Wine, mingw or the target x86_64-pc-windows-gnu is not installed");
        if let Some(log) = std::env::var_os("GAMETAPE_SKIP_LOG") {
            let file = std::fs::OpenOptions::new().append(true).create(true).open(log);
            file.unwrap().write_all(format!("{test}\n").as_bytes()).unwrap();
        }
    }
    wine
}

impl Wine {
    fn prepare() -> Option<Self> {
        let setup = Command::new(scripts().join("setup")).stdin(Stdio::null()).stdout(Stdio::piped()).output().unwrap();
        if setup.status.code() == Some(77) {
            return None;
        }
        assert!(setup.status.success(), "scripts/windows/setup: {}", String::from_utf8_lossy(&setup.stderr));
        let prefix = PathBuf::from(String::from_utf8(setup.stdout).unwrap().trim());
        let folder = tempfile::tempdir().unwrap();
        let wine = Self { folder, prefix };
        let source = scripts().join("../../tests/windows/game.c");
        let mut compiler = Command::new("x86_64-w64-mingw32-gcc");
        compiler.args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"]).arg(wine.game()).arg(source);
        assert!(compiler.status().unwrap().success(), "mingw does not take tests/windows/game.c");
        Some(wine)
    }

    fn game(&self) -> PathBuf {
        self.folder.path().join("game.exe")
    }

    /// A name that no other test's program has.
    pub fn program(&self) -> String {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let name = format!("gametape-test-{}-{}.exe", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        std::fs::copy(self.game(), self.folder.path().join(&name)).unwrap();
        name
    }

    /// Starts a program with a script: by lines if `every_ms` is none.
    pub fn start(&self, program: &str, script: &Script, every_ms: Option<u32>) -> Running {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.path().join(format!("script-{number}"));
        std::fs::File::create_new(&path).unwrap().write_all(&script.bytes).unwrap();
        // Not a pipe: Wine's services would get it, and would keep it open.
        let said = std::fs::File::create_new(self.folder.path().join(format!("said-{number}"))).unwrap();
        let mut command = Command::new(scripts().join("run"));
        command.current_dir(self.folder.path()).env("GAMETAPE_WINEPREFIX", &self.prefix);
        command.arg(program).arg(path.file_name().unwrap());
        command.arg(every_ms.map_or("step".into(), |every_ms| every_ms.to_string()));
        command.stdin(Stdio::piped()).stdout(said.try_clone().unwrap()).stderr(said);
        let mut child = command.spawn().unwrap();
        Running { lines: child.stdin.take(), child }
    }
}

/// A game that runs.
pub struct Running {
    child: Child,
    lines: Option<ChildStdin>,
}

impl Running {
    /// Number of its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// The next step of its script.
    pub fn step(&mut self) {
        self.lines.as_mut().unwrap().write_all(b"\n").unwrap();
    }

    /// Ends it, as a game ends.
    pub fn end(mut self) {
        drop(self.lines.take());
        assert!(self.child.wait().unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a game does, see `game.c`.
#[derive(Default)]
pub struct Script {
    bytes: Vec<u8>,
}

impl Script {
    fn numbers(&mut self, kind: u8, numbers: &[usize]) {
        self.bytes.push(kind);
        self.bytes.extend(numbers.iter().flat_map(|number| u32::try_from(*number).unwrap().to_le_bytes()));
    }

    pub fn section(&mut self, name: &str, bytes: usize) {
        self.numbers(b'S', &[bytes, name.len()]);
        self.bytes.extend(name.as_bytes());
    }

    pub fn write(&mut self, section: usize, offset: usize, bytes: &[u8]) {
        self.numbers(b'W', &[section, offset, bytes.len()]);
        self.bytes.extend(bytes);
    }

    pub fn close_handles(&mut self) {
        self.bytes.push(b'C');
    }

    pub fn step(&mut self) {
        self.bytes.push(b'.');
    }
}
