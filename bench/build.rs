//! Tells the program which compiler built it: results without it say little.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let output = Command::new(rustc).arg("--version").output();
    let version = output.ok().map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    println!("cargo::rustc-env=GAMETAPE_BENCH_RUSTC={}", version.unwrap_or_else(|| "rustc unknown".to_owned()));
    println!("cargo::rerun-if-changed=build.rs");
}
