//! An in-memory disk that can lose power. Every file has a durable and a volatile image; only `sync` copies one to the other.
//!
//! At a cut, each 512-byte sector that was written but not synced keeps its old bytes, has its new ones or a mix of
//! both; a file that grew has its old length, its new one or one in between; each name that was created or removed but
//! not synced exists or not. All of that is derived from a seed.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use super::super::files::{Files, JournalFile, TapeFile};

const SECTOR: usize = 512;

/// SplitMix64: small, and good from any seed.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    pub(super) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

/// Ways in which the disk misbehaves, for tests that must fail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Faults {
    pub(super) journal_sync_does_nothing: bool,
    pub(super) tape_sync_does_nothing: bool,
    pub(super) directory_sync_does_nothing: bool,
}

#[derive(Default)]
struct Image {
    durable: Vec<u8>,
    volatile: Vec<u8>,
    dirty: BTreeSet<usize>,
}

impl Image {
    fn write(&mut self, at: usize, data: &[u8]) {
        let end = at + data.len();
        if self.volatile.len() < end {
            self.volatile.resize(end, 0);
        }
        self.volatile[at..end].copy_from_slice(data);
        if !data.is_empty() {
            self.dirty.extend(at / SECTOR..=(end - 1) / SECTOR);
        }
    }

    fn sync(&mut self) {
        let length = self.volatile.len();
        self.durable.resize(length, 0);
        for sector in std::mem::take(&mut self.dirty) {
            let (start, end) = (sector * SECTOR, ((sector + 1) * SECTOR).min(length));
            if start < end {
                self.durable[start..end].copy_from_slice(&self.volatile[start..end]);
            }
        }
    }

    fn after_cut(&self, random: &mut Random) -> Vec<u8> {
        let (old, new) = (self.durable.len(), self.volatile.len());
        let length = match random.below(3) {
            0 => old,
            1 => new,
            _ => old.min(new) + random.below(old.abs_diff(new) as u64 + 1) as usize,
        };
        let mut left = self.durable.clone();
        left.resize(length.max(old).max(new), 0);
        for &sector in &self.dirty {
            let (start, end) = (sector * SECTOR, ((sector + 1) * SECTOR).min(new));
            if start >= end {
                continue;
            }
            let (from, to) = match random.below(4) {
                0 => (start, start),
                1 => (start, end),
                2 => (start, start + random.below((end - start) as u64) as usize),
                _ => (start + random.below((end - start) as u64) as usize, end),
            };
            left[from..to].copy_from_slice(&self.volatile[from..to]);
        }
        left.truncate(length);
        left
    }
}

enum NameChange {
    Add(PathBuf, usize),
    Remove(PathBuf),
}

#[derive(Default)]
struct State {
    images: Vec<Image>,
    names: BTreeMap<PathBuf, usize>,
    durable_names: BTreeMap<PathBuf, usize>,
    changes: Vec<NameChange>,
    calls: u64,
    cut_at: Option<u64>,
    full_at: Option<u64>,
    room_at: Option<u64>,
    faults: Faults,
}

impl State {
    /// Counts a call; after the cut, every call fails. `false`: the cut happens during this call, whose effect may be partial.
    fn call(&mut self) -> io::Result<bool> {
        self.calls += 1;
        match self.cut_at {
            Some(cut) if self.calls > cut => Err(io::Error::other("the power is off")),
            Some(cut) => Ok(self.calls < cut),
            None => Ok(true),
        }
    }

    /// A call that needs room on the disk.
    fn call_for_room(&mut self) -> io::Result<bool> {
        let whole = self.call()?;
        match self.full_at {
            Some(full) if self.calls >= full && self.room_at.is_none_or(|room| self.calls < room) => {
                Err(io::Error::from(io::ErrorKind::StorageFull))
            }
            _ => Ok(whole),
        }
    }

    fn add(&mut self, path: &Path, image: Image) -> io::Result<usize> {
        if self.names.contains_key(path) {
            return Err(io::Error::from(io::ErrorKind::AlreadyExists));
        }
        self.images.push(image);
        let id = self.images.len() - 1;
        self.names.insert(path.into(), id);
        self.changes.push(NameChange::Add(path.into(), id));
        Ok(id)
    }

    fn remove(&mut self, path: &Path) -> io::Result<usize> {
        let id = self.names.remove(path).ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        self.changes.push(NameChange::Remove(path.into()));
        Ok(id)
    }
}

/// The disk. Clones share it.
#[derive(Clone, Default)]
pub(super) struct Disk(Arc<Mutex<State>>);

impl Disk {
    pub(super) fn new(faults: Faults) -> Self {
        let disk = Self::default();
        disk.state().faults = faults;
        disk
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// The number of file calls so far.
    pub(super) fn calls(&self) -> u64 {
        self.state().calls
    }

    /// Cuts the power in the middle of the call with this number.
    pub(super) fn cut_at(&self, call: u64) {
        self.state().cut_at = Some(call);
    }

    /// Fills the disk from the call with this number on: no file can grow, but allocated space can be written and synced.
    pub(super) fn full_at(&self, call: u64) {
        self.state().full_at = Some(call);
    }

    /// Frees room from the call with this number on.
    pub(super) fn room_at(&self, call: u64) {
        self.state().room_at = Some(call);
    }

    /// Returns the contents of the disk when the power comes back.
    pub(super) fn after_cut(&self, random: &mut Random) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.state();
        let mut names = state.durable_names.clone();
        for change in &state.changes {
            if random.one_in(2) {
                match change {
                    NameChange::Add(path, id) => drop(names.insert(path.clone(), *id)),
                    NameChange::Remove(path) => drop(names.remove(path)),
                }
            }
        }
        names.into_iter().map(|(path, id)| (path, state.images[id].after_cut(random))).collect()
    }

    /// Returns the contents as a running program sees them.
    pub(super) fn as_seen(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.state();
        state.names.iter().map(|(path, id)| (path.clone(), state.images[*id].volatile.clone())).collect()
    }
}

impl Files for Disk {
    fn create_tape(&self, path: &Path) -> io::Result<Box<dyn TapeFile>> {
        let mut state = self.state();
        state.call()?;
        let id = state.add(path, Image::default())?;
        Ok(Box::new(Open { disk: self.clone(), id }))
    }

    fn create_journal(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn JournalFile>> {
        let mut state = self.state();
        state.call_for_room()?;
        let mut image = Image::default();
        image.write(0, &vec![0; bytes as usize]);
        let id = state.add(path, image)?;
        Ok(Box::new(Open { disk: self.clone(), id }))
    }

    fn journals(&self, tape: &Path) -> io::Result<Vec<PathBuf>> {
        let prefix = format!("{}-journal-", tape.display());
        Ok(self.state().names.keys().filter(|path| path.display().to_string().starts_with(&prefix)).cloned().collect())
    }

    fn unfinished(&self, tape: &Path) -> io::Result<Vec<PathBuf>> {
        let prefix = format!("{}.", tape.display());
        let is_one = |path: &&PathBuf| {
            let name = path.display().to_string();
            name.starts_with(&prefix) && name.ends_with(".part")
        };
        Ok(self.state().names.keys().filter(is_one).cloned().collect())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.call()?;
        state.remove(path).map(|_| ())
    }

    fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        let taken = self.state().names.contains_key(to);
        if taken { Err(io::Error::from(io::ErrorKind::AlreadyExists)) } else { self.replace(from, to) }
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.state();
        state.call()?;
        let id = state.remove(from)?;
        state.names.insert(to.into(), id);
        state.changes.push(NameChange::Add(to.into(), id));
        Ok(())
    }

    fn lock(&self, _path: &Path) -> io::Result<Box<dyn Send>> {
        Ok(Box::new(()))
    }

    fn keep(&self, _path: &Path, _second: &Path) -> io::Result<bool> {
        self.state().call()
    }

    fn sync_directory(&self, _path: &Path) -> io::Result<()> {
        let mut state = self.state();
        let whole = state.call()?;
        if whole && !state.faults.directory_sync_does_nothing {
            state.durable_names = state.names.clone();
            state.changes.clear();
        }
        if whole { Ok(()) } else { Err(io::Error::other("the power went off")) }
    }
}

struct Open {
    disk: Disk,
    id: usize,
}

impl Open {
    fn write_at(&self, at: Option<u64>, data: &[u8]) -> io::Result<()> {
        let mut state = self.disk.state();
        let whole = if at.is_some() { state.call()? } else { state.call_for_room()? };
        let image = &mut state.images[self.id];
        let at = at.map_or(image.volatile.len(), |at| at as usize);
        image.write(at, data);
        if whole { Ok(()) } else { Err(io::Error::other("the power went off")) }
    }

    fn sync_image(&self, does_nothing: impl Fn(&Faults) -> bool) -> io::Result<()> {
        let mut state = self.disk.state();
        let whole = state.call()?;
        if !whole {
            return Err(io::Error::other("the power went off"));
        }
        if !does_nothing(&state.faults) {
            state.images[self.id].sync();
        }
        Ok(())
    }
}

impl TapeFile for Open {
    fn append(&mut self, data: &[u8]) -> io::Result<()> {
        self.write_at(None, data)
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        let mut state = self.disk.state();
        state.call()?;
        state.images[self.id].volatile.truncate(bytes as usize);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_image(|faults| faults.tape_sync_does_nothing)
    }
}

impl JournalFile for Open {
    fn write(&self, at: u64, data: &[u8]) -> io::Result<()> {
        self.write_at(Some(at), data)
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        let state = self.disk.state();
        let found = state.images[self.id].volatile.get(at as usize..at as usize + buffer.len());
        buffer.copy_from_slice(found.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof))?);
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        self.sync_image(|faults| faults.journal_sync_does_nothing)
    }
}
