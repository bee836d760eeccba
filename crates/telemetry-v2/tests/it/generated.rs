//! The generated code matches the `.proto` files. `codegen/` has the full test; this one needs no protobuf compiler.

#[test]
fn the_proto_files_are_those_that_the_code_was_made_from() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = std::fs::read_to_string(folder.join("src/generated/sources.txt")).unwrap();
    assert_eq!(listed.lines().count(), 6);
    for line in listed.lines() {
        let (name, stated) = line.split_once(' ').unwrap();
        // FNV-1a.
        let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        let bytes = std::fs::read(folder.join("proto").join(name)).unwrap();
        let found = format!("{:016x}", bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, step));
        assert_eq!(
            found, stated,
            "{name} has changed: run cargo run --manifest-path crates/telemetry-v2/codegen/Cargo.toml"
        );
    }
}
