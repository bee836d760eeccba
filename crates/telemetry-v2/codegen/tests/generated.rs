//! The checked-in code matches the `.proto` files.

#[test]
fn the_code_in_the_repository_is_that_of_the_proto_files() {
    let generated = telemetry_v2_codegen::generate();
    let folder = telemetry_v2_codegen::generated_dir();
    let kept: Vec<_> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(kept.len(), generated.len(), "{kept:?}");
    for (name, text) in generated {
        let kept = std::fs::read_to_string(folder.join(&name)).unwrap();
        assert!(
            kept == text,
            "src/generated/{name} does not match the .proto files: run cargo run --manifest-path crates/telemetry-v2/codegen/Cargo.toml"
        );
    }
}
