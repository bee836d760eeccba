//! Tests of the live game on a machine of plain memory: no shared memory, no reader.
use super::*;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use gametape_games::acc::Graphics;
use zerocopy::FromBytes as _;

use crate::{Script, Settings};

type Sections = Rc<RefCell<HashMap<String, Vec<u8>>>>;

/// Sections by name. A name that was removed keeps its bytes in `removed`, as for a reader that has the section open.
#[derive(Clone, Default)]
struct Plain {
    sections: Sections,
    removed: Sections,
    /// Another game writes all sections during every wait.
    another_game: Rc<Cell<bool>>,
}

impl Plain {
    fn graphics(of: &Sections, name: &str) -> Graphics {
        Graphics::read_from_prefix(&of.borrow()[name]).unwrap().0
    }
}

impl Machine for Plain {
    type Section = String;

    fn open(&self, name: &str) -> Option<CopyStart> {
        self.sections.borrow().get(name)?;
        let (sections, name) = (Rc::clone(&self.sections), name.to_owned());
        Some(Box::new(move |out| {
            let sections = sections.borrow();
            let start = sections.get(&name).and_then(|bytes| bytes.get(..out.len()));
            start.map(|start| out.copy_from_slice(start)).is_some()
        }))
    }

    fn create(&self, name: &str, bytes: u64) -> io::Result<String> {
        self.sections.borrow_mut().entry(name.into()).or_insert_with(|| vec![0; bytes as usize]);
        Ok(name.into())
    }

    fn write(&self, section: &String, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut sections = self.sections.borrow_mut();
        let into = sections.get_mut(section).and_then(|all| all.get_mut(offset as usize..)?.get_mut(..bytes.len()));
        into.map(|into| into.copy_from_slice(bytes)).ok_or_else(|| io::ErrorKind::InvalidInput.into())
    }

    fn remove(&self, section: String) -> io::Result<()> {
        let bytes = self.sections.borrow_mut().remove(&section).ok_or(io::ErrorKind::NotFound)?;
        self.removed.borrow_mut().insert(section, bytes);
        Ok(())
    }

    fn sleep_until(&self, _moment: Instant) {
        if self.another_game.get() {
            self.sections.borrow_mut().values_mut().for_each(|bytes| bytes[0] = bytes[0].wrapping_add(1));
        }
    }
}

fn drive(script: Script) -> Simulation {
    Simulation::driving(Settings::default(), script)
}

#[test]
fn every_page_that_the_simulation_writes_is_published() {
    let machine = Plain::default();
    let mut game = LiveGame::start(machine.clone(), "test-", drive(Script::new().at(2_000).end())).unwrap();
    let mut alone = drive(Script::new().at(2_000).end());
    let mut writes = 0;
    while game.write_next().unwrap() {
        while alone.ms() < game.simulation().ms() {
            alone.step();
        }
        let (sections, pages) = (machine.sections.borrow(), alone.pages());
        let expected = [
            ("test-acpmf_physics", pages.physics.as_bytes()),
            ("test-acpmf_graphics", pages.graphics.as_bytes()),
            ("test-acpmf_static", pages.static_page.as_bytes()),
        ];
        for (name, bytes) in expected {
            assert!(sections[name].starts_with(bytes), "{name} at {} ms", alone.ms());
        }
        writes += 1;
    }
    assert!(writes > 600, "{writes}");
}

#[test]
fn the_last_page_says_off_before_the_names_are_removed() {
    let machine = Plain::default();
    let mut game = LiveGame::start(machine.clone(), "", drive(Script::new().at(100).end())).unwrap();
    while game.write_next().unwrap() {}
    let live = Plain::graphics(&machine.sections, "acpmf_graphics");
    drop(game);
    let last = Plain::graphics(&machine.removed, "acpmf_graphics");
    assert_eq!((live.status, last.status, last.packet_id), (2, 0, live.packet_id + 1));
    assert!(machine.sections.borrow().is_empty());
}

#[test]
fn a_crash_leaves_the_last_pages_unchanged() {
    let machine = Plain::default();
    let mut game = LiveGame::start(machine.clone(), "", drive(Script::new().at(100).game_crash())).unwrap();
    while game.write_next().unwrap() {}
    let live = Plain::graphics(&machine.sections, "acpmf_graphics");
    drop(game);
    assert_eq!(Plain::graphics(&machine.removed, "acpmf_graphics").as_bytes(), live.as_bytes());
}

#[test]
fn names_are_taken_only_if_their_pages_change() {
    let machine = Plain::default();
    for name in ["acpmf_physics", "acpmf_graphics", "acpmf_static"] {
        machine.create(name, 2048).unwrap();
    }
    machine.another_game.set(true);
    let refused = LiveGame::start(machine.clone(), "", drive(Script::new()));
    assert!(matches!(refused, Err(LiveError::Taken { .. })));
    machine.another_game.set(false);
    assert!(LiveGame::start(machine, "", drive(Script::new())).is_ok());
}

#[test]
fn a_section_that_cannot_be_written_is_an_error_with_its_full_name() {
    let machine = Plain::default();
    machine.sections.borrow_mut().insert("test-acpmf_graphics".into(), vec![0; 16]);
    let error = LiveGame::start(machine, "test-", drive(Script::new())).err().unwrap();
    assert!(matches!(&error, LiveError::Memory { name, .. } if name == "test-acpmf_graphics"), "{error}");
}
