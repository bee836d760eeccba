//! gametape beside its peers.
fn main() {}
