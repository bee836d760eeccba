//! What the system streams and describe streams of a tape say: events, metadata, clock, status, descriptions.

use std::collections::BTreeMap;

use super::problem::{Problem, ProblemKind, ReadError};
use super::tape::{Tape, TapeStream};
use crate::stream::{Role, StreamId};
use crate::system::{Event, Status, parse_metadata};

/// What is collected of one system stream at most. A tape with more is read by `frames`.
const COLLECT_BYTES: usize = 8 << 20;
const COLLECT_ENTRIES: usize = 100_000;

impl Tape {
    /// Calls `each` with all frames of the stream of a role; damage is noted and skipped. With `collect`, ends where there is more than
    /// memory shall be taken for.
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
                        return note(format!(
                            "{name} has too much in it: what follows frame {} is left out here",
                            frame.seq
                        ));
                    }
                    if let Err(error) = each(frame.time_ns, frame.data) {
                        note(format!("frame {} of {name} makes no sense: {error}", frame.seq));
                    }
                }
                Ok(None) => return,
                Err(ReadError::Damaged(_)) => {}
                Err(error) => return note(format!("{name} cannot be read: {error}")),
            }
        }
    }

    /// All events in order.
    pub fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        self.each_system_frame(Role::Events, true, |time_ns, data| {
            events.push(Event::parse(time_ns, data)?);
            Ok(())
        });
        events
    }

    /// The events of one kind in order: of a long tape with many events this is quicker than to look at all.
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

    /// Keys and their last values.
    pub fn metadata(&self) -> BTreeMap<String, String> {
        let mut metadata = BTreeMap::new();
        self.each_system_frame(Role::Metadata, true, |_, data| {
            let (key, value) = parse_metadata(data)?;
            metadata.insert(key, value);
            Ok(())
        });
        metadata
    }

    /// UTC readings: time on the tape and UTC, both in nanoseconds.
    pub fn clock_readings(&self) -> Vec<(u64, i64)> {
        let mut readings = Vec::new();
        self.each_system_frame(Role::Clock, true, |time_ns, data| {
            readings.push((time_ns, parse_clock(data)?));
            Ok(())
        });
        readings
    }

    /// Notes frames of system streams that make no sense.
    pub(super) fn check_system_frames(&self) {
        self.each_system_frame(Role::Events, false, |time_ns, data| Event::parse(time_ns, data).map(drop));
        self.each_system_frame(Role::Metadata, false, |_, data| parse_metadata(data).map(drop));
        self.each_system_frame(Role::Clock, false, |_, data| parse_clock(data).map(drop));
        self.each_system_frame(Role::Status, false, |_, data| Status::parse(data).map(drop));
    }

    /// The describe streams of a stream.
    pub fn descriptions_of(&self, stream: StreamId) -> impl Iterator<Item = &TapeStream> {
        self.streams()
            .filter(move |other| other.spec().role == Role::Describe && other.spec().describes == Some(stream))
    }

    /// The frame of a stream that holds at a time: the last one at or before it, with its time.
    pub fn frame_at(&self, stream: &TapeStream, time_ns: u64) -> Result<Option<(u64, Vec<u8>)>, ReadError> {
        self.frames(stream).take_last_before(time_ns)
    }

    /// The state that the last complete group of status frames gives.
    pub(super) fn read_status(&self) -> BTreeMap<StreamId, Status> {
        let Some(stream) = self.stream_of_role(Role::Status) else { return BTreeMap::new() };
        let mut time_ns = stream.totals().last_ns;
        // The last group may have been cut off; the one before is whole.
        for _ in 0..2 {
            let Some(at) = time_ns else { break };
            if let Some(state) = self.status_group(stream, at) {
                return state;
            }
            time_ns = at.checked_sub(1).and_then(|at| self.frame_at(stream, at).ok().flatten()).map(|(time, _)| time);
        }
        BTreeMap::new()
    }

    /// What had been lost and noticed until a time: nothing before the first frame, everything behind the last one, and in between what the
    /// status frames before the next frame say. So parts that follow each other without a frame between them have all that was counted
    /// together, and none of it twice.
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
        // A group may be cut off or damaged; the one before says a little less.
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

    /// Time of the first frame at or after a time that can be read.
    #[cfg(feature = "write")]
    fn first_from(&self, stream: &TapeStream, time_ns: u64) -> Result<Option<u64>, ReadError> {
        let mut frames = self.frames(stream);
        let mut sought = frames.seek_time(time_ns);
        loop {
            match sought.and_then(|()| frames.peek()) {
                Ok(found) => return Ok(found),
                // The next call goes on behind the damage.
                Err(ReadError::Damaged(_)) => sought = Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    /// The last group at a time, if it is complete.
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
            // Behind it there may be another one that was cut off.
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
