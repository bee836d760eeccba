//! The header and the code say the same.

use std::collections::BTreeMap;
use std::process::Command;

use crate::client::{crate_folder, has_compiler, skip};

/// Functions by name: the result, then the arguments, as C types.
type Functions = BTreeMap<String, Vec<String>>;

fn read(path: &str) -> String {
    std::fs::read_to_string(crate_folder().join(path)).unwrap()
}

/// Removes the comments of C or Rust.
fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        rest = after.split_once("*/").unwrap().1;
    }
    out.push_str(rest);
    let line = |line: &str| line.split("//").next().unwrap_or_default().to_owned();
    out.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// A type without the name of the argument: `const char *path` is `const char*`.
fn type_of(argument: &str) -> String {
    let argument = argument.trim();
    let name = argument.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |at| at + 1);
    let without_name = argument[..name].trim();
    let words = if without_name.is_empty() { argument } else { without_name };
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ").replace(" *", "*");
    // Handles are numbers.
    ["gametape_tape", "gametape_cursor", "gametape_writer"]
        .iter()
        .fold(words, |text, handle| text.replace(handle, "uint32_t"))
}

fn functions_of_header() -> Functions {
    let header = without_comments(&read("include/gametape.h"));
    let header: String = header.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join(" ");
    let mut found = Functions::new();
    for statement in header.split(';') {
        let Some((before, arguments)) = statement.rsplit_once('(').filter(|(before, _)| !before.contains("typedef"))
        else {
            continue;
        };
        let before = before.rsplit(['{', '}']).next().unwrap().trim();
        let Some(at) = before.rfind("gametape_").filter(|_| !before.ends_with(')')) else { continue };
        let result = format!("{} x", &before[..at]);
        let arguments = arguments.trim_end().trim_end_matches(')');
        let arguments = arguments.split(',').map(str::trim).filter(|argument| !matches!(*argument, "void" | ""));
        let types = std::iter::once(type_of(&result)).chain(arguments.map(type_of)).collect();
        assert!(found.insert(before[at..].to_owned(), types).is_none(), "{before}");
    }
    found
}

/// The C type of an argument or a result of an exported function.
fn c_type(rust: &str) -> String {
    let rust = rust.trim();
    let inner = |prefix: &str| rust.strip_prefix(prefix).and_then(|rest| rest.strip_suffix('>'));
    if let Some(inner) = inner("Out<") {
        return format!("{}*", c_type(inner));
    }
    if let Some(inner) = inner("Values<") {
        return format!("const {}*", c_type(inner));
    }
    match rust.rsplit("::").next().unwrap() {
        "Text" | "*const c_char" => "const char*",
        "*mut c_char" => "char*",
        "Bytes" => "const void*",
        "Allocated" | "*mut c_void" => "void*",
        "c_void" => "void",
        "ProgressFn" => "gametape_progress",
        "Source" => "gametape_source",
        "Shape" => "gametape_shape",
        "FrameOut" => "gametape_frame",
        "Status" => "gametape_status",
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "i64" => "int64_t",
        "f64" => "double",
        "usize" => "size_t",
        "" => "void",
        other => panic!("say here what {other} is in C"),
    }
    .to_owned()
}

fn functions_of_code() -> Functions {
    let mut found = Functions::new();
    for file in ["exports", "exports_reading", "exports_writing"] {
        let code = without_comments(&read(&format!("src/border/{file}.rs")));
        let code = code.replace("#[unsafe(no_mangle)]\nextern", "EXPORTED");
        assert!(!code.contains("extern"), "{file}: an exported function without no_mangle");
        for function in code.split("EXPORTED \"C\" fn ").skip(1) {
            let signature = function.split('{').next().unwrap();
            let (name, rest) = signature.split_once('(').unwrap();
            let (arguments, result) = rest.rsplit_once(')').unwrap();
            let arguments =
                arguments.split(',').filter_map(|argument| argument.split_once(':')).map(|(_, kind)| c_type(kind));
            let result = c_type(result.trim().trim_start_matches("->"));
            found.insert(name.to_owned(), std::iter::once(result).chain(arguments).collect());
        }
    }
    found
}

#[test]
fn every_function_is_in_the_header_as_it_is_in_the_code() {
    let (header, code) = (functions_of_header(), functions_of_code());
    assert_eq!(header, code);
    assert!(header.len() >= 30, "{}", header.len());
}

#[test]
fn every_status_is_in_the_header_as_it_is_in_the_code() {
    let header = read("include/gametape.h");
    let number = |text: &str| text.trim_matches(['(', ')']).parse::<i32>().ok();
    let defines = header.lines().filter_map(|line| line.strip_prefix("#define GAMETAPE_")?.split_once(' '));
    let of_header: BTreeMap<String, i32> = defines
        .filter(|(name, _)| !matches!(*name, "INTERFACE" | "ALL"))
        .filter_map(|(name, value)| Some((name.replace('_', "").to_lowercase(), number(value)?)))
        .collect();
    let code = read("src/status.rs");
    let variants = code.split_once("enum Status {").unwrap().1.split_once('}').unwrap().0;
    let of_code: BTreeMap<String, i32> = variants
        .lines()
        .filter_map(|line| line.trim().trim_end_matches(',').split_once(" = "))
        .map(|(name, value)| (name.to_lowercase(), value.parse().unwrap()))
        .collect();
    assert_eq!(of_header, of_code);
    assert!(of_code.len() == 15);
}

#[test]
fn c_and_cpp_take_the_header() {
    if !has_compiler() {
        return skip("c_and_cpp_take_the_header", "there is no C compiler");
    }
    let header = crate_folder().join("include/gametape.h");
    let cases: [&[&str]; 4] =
        [&["cc", "-std=c99"], &["cc", "-std=c11", "-D__wasm__"], &["cc", "-std=c17"], &["c++", "-std=c++11", "-xc++"]];
    for case in cases {
        let mut compiler = Command::new(case[0]);
        compiler.args(&case[1..]).args(["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]).arg(&header);
        let said = match compiler.output() {
            Ok(said) => said,
            Err(_) if case[0] == "c++" => {
                skip("cpp_takes_the_header", "there is no C++ compiler");
                continue;
            }
            Err(error) => panic!("{error}"),
        };
        assert!(said.status.success(), "{case:?}: {}", String::from_utf8_lossy(&said.stderr));
    }
}
