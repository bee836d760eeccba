//! Folders like `/proc`, with files that represent sections.
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use gametape_games::{ASSETTO_CORSA_FAMILY, Chars, Utf16, acc, ace, iracing};
use zerocopy::IntoBytes as _;

use super::*;

const PAGES: [&Stream; 3] = [&acc::PHYSICS, &acc::GRAPHICS, &acc::STATIC];
const EVO_PAGES: [&Stream; 3] = [&ace::PHYSICS, &ace::GRAPHICS, &ace::STATIC];
const S: u64 = 1_000_000_000;

struct Machine {
    folder: tempfile::TempDir,
    search: WineSearch,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("self")).unwrap();
        Self { search: WineSearch::in_folder(folder.path(), InWine::Games), folder }
    }

    /// Starts a program that has mapped sections of these sizes, all zero.
    fn start(&self, id: u32, program: &str, lengths: &[u64]) -> Vec<std::fs::File> {
        let own = self.folder.path().join(id.to_string());
        std::fs::create_dir_all(own.join("fd")).unwrap();
        let (mut files, mut maps) = (Vec::new(), String::new());
        for (number, bytes) in lengths.iter().enumerate() {
            let path = self.folder.path().join(format!("tmpmap-{id}-{number} (deleted)"));
            let file = std::fs::File::create_new(&path).unwrap();
            file.set_len(*bytes).unwrap();
            std::os::unix::fs::symlink(&path, own.join("fd").join(number.to_string())).unwrap();
            maps += &format!("1000-2000 rw-s 0 00:1a {} {}\n", file.metadata().unwrap().ino(), path.display());
            files.push(file);
        }
        for (name, text) in [("comm", program), ("cmdline", program), ("maps", &maps), ("stat", "1 (x) S")] {
            super::super::put(&own.join(name), text);
        }
        files
    }

    fn end(&self, id: u32) {
        std::fs::remove_dir_all(self.folder.path().join(id.to_string())).unwrap();
    }

    /// Returns the process in which the family's pages are found, the first byte of each page, and the number of empty sections.
    fn family(&self, now_ns: u64) -> Option<(u32, Vec<u8>, usize)> {
        let found = self.search.find(ASSETTO_CORSA_FAMILY, &PAGES, now_ns)?;
        let first = |reader: &SectionReader| {
            let mut byte = [0];
            reader.copy(0, &mut byte).unwrap();
            byte[0]
        };
        Some((found.process, found.sections.iter().map(first).collect(), found.blank.len()))
    }
}

fn physics(packet: u8) -> acc::Physics {
    let mut page = acc::Physics::default();
    (page.packet_id, page.fuel, page.gear) = (packet.into(), 40.0, 2);
    page
}

fn graphics() -> acc::Graphics {
    let mut page = acc::Graphics::default();
    (page.packet_id, page.status, page.active_cars) = (5, 2, 1);
    page
}

fn statics() -> acc::Static {
    let mut page = acc::Static::default();
    (page.sm_version, page.ac_version) = (Utf16::new("1.9"), Utf16::new("1.7"));
    page
}

fn write(file: &std::fs::File, bytes: &[u8]) {
    file.write_all_at(bytes, 0).unwrap();
}

#[test]
fn a_game_is_found_as_soon_as_its_pages_say_what_they_are() {
    let machine = Machine::new();
    assert_eq!(machine.family(0), None);
    let files = machine.start(70, "AC2-Win64-Shipping.exe", &[4096, 65536, 4096, 4096, 4096]);
    assert_eq!(machine.family(2 * S), None, "processes were listed a moment ago");
    assert_eq!(machine.family(3 * S), None, "all zero");
    // Written between two listings: found by the next read.
    write(&files[4], physics(9).as_bytes());
    assert_eq!(machine.family(3 * S + 1), Some((70, vec![9, 0, 0], 3)));
    write(&files[2], statics().as_bytes());
    write(&files[0], graphics().as_bytes());
    assert_eq!(machine.family(3 * S + 2), Some((70, vec![9, 5, b'1'], 0)));
}

#[test]
fn a_restart_is_followed_and_the_dead_are_not() {
    let machine = Machine::new();
    let fill = |id, packet| {
        let files = machine.start(id, "acs.exe", &[4096; 3]);
        write(&files[0], physics(packet).as_bytes());
        write(&files[1], graphics().as_bytes());
        write(&files[2], statics().as_bytes());
    };
    fill(70, 1);
    assert_eq!(machine.family(0).unwrap().0, 70);
    machine.end(70);
    assert_eq!(machine.family(1), None, "what we have open still says the same, but nobody writes it");
    fill(71, 2);
    assert_eq!(machine.family(3 * S), Some((71, vec![2, 5, b'1'], 0)));
}

#[test]
fn programs_that_are_no_game_and_games_of_others_are_not_asked() {
    let machine = Machine::new();
    for (id, program) in [(70, "SimHub.exe"), (71, "iRacingSim64DX11.exe")] {
        let files = machine.start(id, program, &[4096; 3]);
        write(&files[0], physics(1).as_bytes());
    }
    assert_eq!(machine.family(0), None);
    let named = WineSearch::in_folder(machine.folder.path(), InWine::Process("simhub.exe".into()));
    assert_eq!(named.find(ASSETTO_CORSA_FAMILY, &PAGES, 0).unwrap().process, 70);
}

#[test]
fn evo_is_told_from_its_older_versions_by_its_longer_page() {
    let machine = Machine::new();
    let files = machine.start(70, "AssettoCorsaEVO.exe", &[4096, 8192, 4096, 4096, 4096]);
    write(&files[0], physics(3).as_bytes());
    assert_eq!(machine.family(0), None, "physics and two zeros would do for the older one");
    let mut page = ace::Graphics::default();
    (page.packet_id, page.status, page.car_model) = (1, 2, Chars::new("test_car"));
    write(&files[1], page.as_bytes());
    assert_eq!(machine.search.find(&[ace::GAME], &EVO_PAGES, 0).unwrap().process, 70);
    assert_eq!(machine.family(0), None);
    let old = Machine::new();
    let files = old.start(71, "AssettoCorsaEVO.exe", &[4096; 3]);
    write(&files[1], physics(3).as_bytes());
    assert_eq!(old.family(0), Some((71, vec![3, 0, 0], 2)));
    assert!(old.search.find(&[ace::GAME], &EVO_PAGES, 0).is_none());
}

#[test]
fn iracing_is_known_by_its_header() {
    let machine = Machine::new();
    let files = machine.start(70, "iRacingSim64DX11.exe", &[u64::from(iracing::SECTION_BYTES)]);
    let find = || machine.search.find(&[iracing::GAME], &[&iracing::TELEMETRY], 0).map(|found| found.process);
    assert_eq!(find(), None);
    let numbers = [2, 1, 60, 1, 400, 512, 2, 1024, 2, 12, 0, 0, 7, 4096, 0, 0, 8, 8192, 0, 0];
    write(&files[0], &numbers.into_iter().flat_map(i32::to_le_bytes).collect::<Vec<u8>>());
    assert_eq!(find(), Some(70));
}
