//! The modules of this crate depend on each other without cycles. Read from the `use` lines, so that a new cycle names its files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

type Edges = BTreeMap<String, BTreeMap<String, PathBuf>>;

/// All source files below a folder, without tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if name == "tests" {
            continue;
        }
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The module of a file, by its place below `src`.
fn module_of(src: &Path, file: &Path) -> String {
    let first = file.strip_prefix(src).unwrap().components().next().unwrap();
    first.as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned()
}

/// The modules that a text names with `crate::`, before its unit tests and outside comments.
fn named(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let word = |rest: &str| -> String { rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect() };
    let mut found = BTreeSet::new();
    for rest in lines.split("crate::").skip(1) {
        match rest.strip_prefix('{') {
            Some(list) => {
                found.extend(list.split('}').next().unwrap_or_default().split(',').map(|part| word(part.trim())))
            }
            None => drop(found.insert(word(rest))),
        }
    }
    found
}

fn edges(src: &Path) -> Edges {
    let mut files = Vec::new();
    sources(src, &mut files);
    let modules: BTreeSet<String> = files.iter().map(|file| module_of(src, file)).collect();
    let mut edges = Edges::new();
    for file in files.iter().filter(|file| !file.ends_with("src/lib.rs")) {
        let from = module_of(src, file);
        for to in named(&std::fs::read_to_string(file).unwrap()) {
            if to != from && modules.contains(&to) {
                edges.entry(from.clone()).or_default().entry(to).or_insert_with(|| file.clone());
            }
        }
    }
    edges
}

/// A cycle through a module, as the files that make it.
fn cycle(edges: &Edges, from: &str) -> Option<Vec<PathBuf>> {
    fn search(edges: &Edges, goal: &str, at: &str, known: &mut BTreeSet<String>, way: &mut Vec<PathBuf>) -> bool {
        for (to, file) in edges.get(at).into_iter().flatten() {
            way.push(file.clone());
            if to == goal || (known.insert(to.clone()) && search(edges, goal, to, known, way)) {
                return true;
            }
            way.pop();
        }
        false
    }
    let mut way = Vec::new();
    search(edges, from, from, &mut BTreeSet::new(), &mut way).then_some(way)
}

#[test]
fn modules_do_not_depend_on_each_other_in_cycles() {
    let edges = edges(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    assert!(edges.len() > 8, "the modules were not found: {edges:?}");
    assert!(edges["capture"].contains_key("sys"), "`use` lines are not understood");
    for module in edges.keys() {
        if let Some(files) = cycle(&edges, module) {
            panic!("{module} depends on itself, through: {files:#?}");
        }
    }
}

#[test]
fn a_cycle_is_found() {
    let of = |pairs: &[(&str, &str)]| {
        let mut edges = Edges::new();
        for (from, to) in pairs {
            edges.entry((*from).to_owned()).or_default().insert((*to).to_owned(), PathBuf::from(*from));
        }
        edges
    };
    assert!(cycle(&of(&[("a", "b"), ("b", "c"), ("a", "c")]), "a").is_none());
    assert_eq!(cycle(&of(&[("a", "b"), ("b", "c"), ("c", "a")]), "a").unwrap().len(), 3);
    assert!(named("use crate::{sys, tape::Tape};\n// crate::laps\nfn f() { crate::store::x() }").len() == 3);
}

/// A new transport must not have to touch the recorder, the player or the commands.
#[test]
fn nobody_outside_the_transports_asks_how_a_game_is_reached() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for name in ["gametape", "analysis", "simulator", "cli"] {
        sources(&crates.join(name).join("src"), &mut files);
    }
    let own = crates.join("gametape/src/transport");
    let asks = |file: &&PathBuf| std::fs::read_to_string(file).unwrap().contains("Transport::");
    let found: Vec<&PathBuf> = files.iter().filter(|file| !file.starts_with(&own)).filter(asks).collect();
    assert!(files.len() > 200 && found.is_empty(), "{found:#?}");
}
