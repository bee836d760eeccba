//! The `gametape` command.
fn main() {}
