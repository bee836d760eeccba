//! Datagrams whose layout the user chooses, in files of the game.
//!
//! ```text
//! SettingsFiles::read ◀── texts of the files, from the caller
//!        └──▶ UserSettings: packets with their layouts · what is wrong with the files · a description to store with a recording
//! ```
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

use crate::layout::Layout;

/// Returns the text of a file below the settings folder; `Ok(None)` if it does not exist. The error says why it cannot be read.
pub type ReadFile<'a> = &'a mut dyn FnMut(&str) -> Result<Option<String>, String>;

/// Files in which the user describes the datagrams of a game. They are only read, never written.
pub trait SettingsFiles: Debug + Sync {
    /// Returns the folder of the files, below the user's documents, with `/` as the separator.
    fn folder(&self) -> &'static str;

    /// Returns the Steam app id, which names the Proton prefix that has the documents of the game on Linux.
    fn steam_app(&self) -> u32;

    /// Reads the files, through `file`.
    fn read(&self, file: ReadFile<'_>) -> UserSettings;
}

/// The settings of a user.
#[derive(Debug, Clone, Default)]
pub struct UserSettings {
    /// Whether there are settings at all. A game writes them when it is started for the first time.
    pub found: bool,
    /// The packets that the settings mention.
    pub packets: Vec<UserPacket>,
    /// What is wrong with the files.
    pub problems: Vec<SettingsProblem>,
    /// The user's description of the packets, to be stored with a recording; empty if there is none.
    pub description: String,
}

/// A packet in the settings of a user.
#[derive(Debug, Clone)]
pub struct UserPacket {
    /// Its name in the settings, for messages.
    pub name: String,
    /// The stream that it belongs to.
    pub stream: &'static str,
    /// Where the game sends it: the address as it is written in the settings.
    pub to: String,
    /// The port; `None` if the settings have none that is valid.
    pub port: Option<u16>,
    /// Whether the game sends it.
    pub enabled: bool,
    /// Its layout; `None` if it is disabled or not known.
    pub layout: Option<&'static Layout>,
    /// Returns whether a datagram is certainly such a packet: name of the stream, layout, datagram.
    pub is_it: fn(&str, &Layout, &[u8]) -> bool,
}

/// Something that is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsProblem {
    /// The file, relative to the settings folder.
    pub file: String,
    /// What is wrong with it.
    pub what: String,
}

impl UserSettings {
    /// Returns the stream that a datagram belongs to; `None` if it is not one of the packets.
    #[must_use]
    pub fn stream_of(&self, datagram: &[u8]) -> Option<&'static str> {
        let is_it =
            |packet: &&UserPacket| packet.layout.is_some_and(|layout| (packet.is_it)(packet.stream, layout, datagram));
        self.packets.iter().find(is_it).map(|packet| packet.stream)
    }

    /// Returns the layout of packets of this stream and length.
    #[must_use]
    pub fn layout_of(&self, stream: &str, bytes: usize) -> Option<&'static Layout> {
        let of_stream = self.packets.iter().filter(|packet| packet.stream == stream);
        of_stream.filter_map(|packet| packet.layout).find(|layout| layout.frame_bytes() as usize == bytes)
    }
}

/// Different layouts of users that are kept. Nobody has as many; a program that reads new files all the time must not fill the memory.
const MOST_KEPT: usize = 256;

/// Layouts that live as long as the process, like the tables of other games. Equal ones are kept once.
#[derive(Debug)]
struct Kept(Mutex<Vec<&'static Layout>>);

static KEPT: Kept = Kept(Mutex::new(Vec::new()));

/// Returns a layout that lives as long as the process; `None` if there are too many already.
pub(crate) fn kept(layout: Layout) -> Option<&'static Layout> {
    KEPT.keep(layout)
}

impl Kept {
    fn keep(&self, layout: Layout) -> Option<&'static Layout> {
        // A panic elsewhere leaves the list complete: entries are only added.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(same) = kept.iter().find(|same| ***same == layout) {
            return Some(same);
        }
        (kept.len() < MOST_KEPT).then(|| {
            let new: &'static Layout = Box::leak(Box::new(layout));
            kept.push(new);
            new
        })
    }
}

/// Takes bytes as the settings of a user: the main file, a zero byte, and the text of every other file. Panics if the result is not usable. For
/// fuzz targets and mutation tests only.
pub fn fuzz_user_settings(data: &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == 0).map(|part| String::from_utf8_lossy(part).into_owned());
    let (first, others) = (parts.next().unwrap_or_default(), parts.next());
    for game in crate::registry::GAMES {
        let Some(files) = game.rules.settings_files() else { continue };
        let mut is_first = true;
        let settings = files.read(&mut |_| match std::mem::take(&mut is_first) {
            true => Ok(Some(first.clone())),
            false => Ok(others.clone()),
        });
        for packet in &settings.packets {
            assert!(game.stream(packet.stream).is_some(), "{}", packet.stream);
            let Some(layout) = packet.layout else { continue };
            let found = settings.layout_of(packet.stream, layout.frame_bytes() as usize);
            assert_eq!(found, Some(layout), "two layouts of one length");
        }
        let _ = settings.stream_of(data);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_layouts_are_kept_once_and_their_number_is_bounded() {
        let list = Kept(Mutex::new(Vec::new()));
        let layout = |bytes: u32| Layout::new("of-a-user", bytes, Vec::new()).unwrap();
        let first = list.keep(layout(1)).unwrap();
        assert!(std::ptr::eq(first, list.keep(layout(1)).unwrap()));
        let kept = (1..=2 * MOST_KEPT as u32).filter_map(|bytes| list.keep(layout(bytes))).count();
        assert_eq!(kept, MOST_KEPT);
        assert!(std::ptr::eq(first, list.keep(layout(1)).unwrap()));
    }
}
