//! Writes the Rust code of the `.proto` files: `cargo run --manifest-path crates/telemetry-v2/codegen/Cargo.toml`.
//!
//! The code is checked in, so that building the crate does not need a protobuf compiler. A test of this package
//! regenerates it and compares.

fn main() {
    let target = telemetry_v2_codegen::generated_dir();
    for (name, text) in telemetry_v2_codegen::generate() {
        let path = target.join(name);
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        println!("{}", path.display());
    }
}
