//! Writes the Rust code of the `.proto` files: `cargo run --manifest-path crates/telemetry-v2/codegen/Cargo.toml`.
//!
//! The code is kept in the repository, so that nobody needs a protobuf compiler to build the crate. A test of this package makes it
//! again and compares.

fn main() {
    let target = telemetry_v2_codegen::generated_dir();
    for (name, text) in telemetry_v2_codegen::generate() {
        let path = target.join(name);
        std::fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        println!("{}", path.display());
    }
}
