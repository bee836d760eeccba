//! The contents of a tape's system and describe streams: events, metadata, clock, status, descriptions.

use std::collections::BTreeMap;

use super::problem::{Problem, ProblemKind, ReadError};
use super::tape::{Tape, TapeStream};
use crate::stream::{Role, StreamId};
use crate::system::{Event, Status, parse_metadata};

/// The maximum size of the data collected from one system stream. Use `frames` to read a tape with more.
const COLLECT_BYTES: usize = 8 << 20;
const COLLECT_ENTRIES: usize = 100_000;

impl Tape {
    /// Calls `each` with all frames of the stream of a role; notes and skips damage. With `collect`, stops at the memory limit.
    fn each_system_frame(
        &self,
        role: Role,
        collect: bool,
        mut each: impl FnMut(u64, &[u8]) -> Result<(), crate::Malformed>,
    ) {
        let Some(stream) = self.stream_of_role(role) else { return };
        let note = |text: String| {
            self.notes.add(Problem::new(ProblemKind::SystemFrame, 0, text).of_stream(stream.id().0));
        };
        let name = &stream.spec().name;
        let mut frames = self.frames(stream);
        let (mut bytes, mut entries) = (0, 0);
        loop {
            match frames.next() {
                Ok(Some(frame)) => {
                    bytes += frame.data.len();
                    entries += 1;
                    if collect && (bytes > COLLECT_BYTES || entries > COLLECT_ENTRIES) {
                        return note(format!("{name} is too large: everything after frame {} is left out", frame.seq));
                    }
                    if let Err(error) = each(frame.time_ns, frame.data) {
                        note(format!("frame {} of {name} is invalid: {error}", frame.seq));
                    }
                }
                Ok(None) => return,
                Err(ReadError::Damaged(_)) => {}
                Err(error) => return note(format!("{name} cannot be read: {error}")),
            }
        }
    }

    /// Returns all events, in order.
    pub fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        self.each_system_frame(Role::Events, true, |time_ns, data| {
            events.push(Event::parse(time_ns, data)?);
            Ok(())
        });
        events
    }

    /// Returns the events of one kind, in order. On a long tape with many events this is faster than filtering all of them.
    pub fn events_of(&self, kind: &str) -> Vec<Event> {
        let mut events = Vec::new();
        self.each_system_frame(Role::Events, true, |time_ns, data| {
            if Event::kind_of(data)? == kind {
                events.push(Event::parse(time_ns, data)?);
            }
            Ok(())
        });
        events
    }

    /// Returns the metadata: keys and their last values.
    pub fn metadata(&self) -> BTreeMap<String, String> {
        let mut metadata = BTreeMap::new();
        self.each_system_frame(Role::Metadata, true, |_, data| {
            let (key, value) = parse_metadata(data)?;
            metadata.insert(key, value);
            Ok(())
        });
        metadata
    }

    /// Returns the UTC readings: tape time and UTC, both in nanoseconds.
    pub fn clock_readings(&self) -> Vec<(u64, i64)> {
        let mut readings = Vec::new();
        self.each_system_frame(Role::Clock, true, |time_ns, data| {
            readings.push((time_ns, parse_clock(data)?));
            Ok(())
        });
        readings
    }

    /// Notes invalid frames of system streams.
    pub(super) fn check_system_frames(&self) {
        self.each_system_frame(Role::Events, false, |time_ns, data| Event::parse(time_ns, data).map(drop));
        self.each_system_frame(Role::Metadata, false, |_, data| parse_metadata(data).map(drop));
        self.each_system_frame(Role::Clock, false, |_, data| parse_clock(data).map(drop));
        self.each_system_frame(Role::Status, false, |_, data| Status::parse(data).map(drop));
    }

    /// Returns the describe streams of a stream.
    pub fn descriptions_of(&self, stream: StreamId) -> impl Iterator<Item = &TapeStream> {
        self.streams()
            .filter(move |other| other.spec().role == Role::Describe && other.spec().describes == Some(stream))
    }

    /// Returns the frame of a stream that is current at a time: the last one at or before it, with its time.
    pub fn frame_at(&self, stream: &TapeStream, time_ns: u64) -> Result<Option<(u64, Vec<u8>)>, ReadError> {
        self.frames(stream).take_last_before(time_ns)
    }

    /// Returns the status from the last complete group of status frames.
    pub(super) fn read_status(&self) -> BTreeMap<StreamId, Status> {
        let Some(stream) = self.stream_of_role(Role::Status) else { return BTreeMap::new() };
        let mut time_ns = stream.totals().last_ns;
        // The last group may be truncated; the one before it is complete.
        for _ in 0..2 {
            let Some(at) = time_ns else { break };
            if let Some(state) = self.status_group(stream, at) {
                return state;
            }
            time_ns = at.checked_sub(1).and_then(|at| self.frame_at(stream, at).ok().flatten()).map(|(time, _)| time);
        }
        BTreeMap::new()
    }

    /// Returns the losses up to a time: none before the first frame, all after the last one, and in between those in
    /// the status frames before the next frame. As a result, adjacent parts without a frame between them together have
    /// all counts, and none of them twice.
    #[cfg(feature = "write")]
    pub(crate) fn status_at(&self, time_ns: u64) -> Result<BTreeMap<StreamId, Status>, ReadError> {
        let streams = || self.streams().filter(|stream| !stream.spec().role.is_system());
        if streams().filter_map(|stream| stream.totals().first_ns).all(|first_ns| first_ns >= time_ns) {
            return Ok(BTreeMap::new());
        }
        let mut next_ns = None;
        for stream in streams() {
            let first = self.first_from(stream, time_ns)?;
            next_ns = first.into_iter().chain(next_ns).min();
        }
        let Some(mut at_ns) = next_ns else {
            return Ok(self.streams().map(|stream| (stream.id(), *stream.status())).collect());
        };
        let Some(stream) = self.stream_of_role(Role::Status) else { return Ok(BTreeMap::new()) };
        // A group may be truncated or damaged; the one before it is slightly older.
        loop {
            let (found_ns, _) = match self.frame_at(stream, at_ns) {
                Ok(Some(found)) => found,
                Ok(None) | Err(ReadError::Damaged(_)) => return Ok(BTreeMap::new()),
                Err(error) => return Err(error),
            };
            if let Some(state) = self.status_group(stream, found_ns) {
                return Ok(state);
            }
            let Some(before_ns) = found_ns.checked_sub(1) else { return Ok(BTreeMap::new()) };
            at_ns = before_ns;
        }
    }

    /// Returns the time of the first readable frame at or after a time.
    #[cfg(feature = "write")]
    fn first_from(&self, stream: &TapeStream, time_ns: u64) -> Result<Option<u64>, ReadError> {
        let mut frames = self.frames(stream);
        let mut sought = frames.seek_time(time_ns);
        loop {
            match sought.and_then(|()| frames.peek()) {
                Ok(found) => return Ok(found),
                // The next call continues after the damage.
                Err(ReadError::Damaged(_)) => sought = Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns the last group at a time, if it is complete.
    fn status_group(&self, stream: &TapeStream, time_ns: u64) -> Option<BTreeMap<StreamId, Status>> {
        let mut frames = self.frames(stream);
        frames.seek_time(time_ns).ok()?;
        let mut state = BTreeMap::new();
        let mut complete = None;
        while let Ok(Some(frame)) = frames.next() {
            if frame.time_ns != time_ns {
                break;
            }
            let Ok((id, group, status)) = Status::parse(frame.data) else { continue };
            if group.number == 0 {
                state.clear();
            }
            state.extend(id.map(|id| (id, status)));
            // After it there may be another, truncated one.
            if group.number.checked_add(1) == Some(group.rows) {
                complete = Some(state.clone());
            }
        }
        complete
    }
}

fn parse_clock(data: &[u8]) -> Result<i64, crate::Malformed> {
    Ok(crate::cursor::Cursor::new(data).u64("UTC reading")? as i64)
}
