//! What the system streams and describe streams of a tape say: events, metadata, clock, status, descriptions.

use std::collections::BTreeMap;

use super::problem::{Problem, ProblemKind, ReadError};
use super::tape::{Tape, TapeStream};
use crate::stream::{Role, StreamId};
use crate::system::{Event, Status, parse_metadata};

impl Tape {
    /// Calls `each` with all frames of the stream of a role; damage is noted and skipped.
    fn each_system_frame(&self, role: Role, mut each: impl FnMut(u64, &[u8]) -> Result<(), crate::Malformed>) {
        let Some(stream) = self.stream_of_role(role) else { return };
        let mut frames = self.frames(stream);
        loop {
            match frames.next() {
                Ok(Some(frame)) => {
                    if let Err(error) = each(frame.time_ns, frame.data) {
                        let text = format!("frame {} of {} makes no sense: {error}", frame.seq, stream.spec().name);
                        let id = stream.id().0;
                        self.notes.add(Problem::new(ProblemKind::SystemFrame, 0, text).of_stream(id));
                    }
                }
                Ok(None) => return,
                Err(ReadError::Damaged(_)) => {}
                Err(error) => {
                    let text = format!("{} cannot be read: {error}", stream.spec().name);
                    self.notes.add(Problem::new(ProblemKind::SystemFrame, 0, text).of_stream(stream.id().0));
                    return;
                }
            }
        }
    }

    /// All events in order.
    pub fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        self.each_system_frame(Role::Events, |time_ns, data| {
            events.push(Event::parse(time_ns, data)?);
            Ok(())
        });
        events
    }

    /// Keys and their last values.
    pub fn metadata(&self) -> BTreeMap<String, String> {
        let mut metadata = BTreeMap::new();
        self.each_system_frame(Role::Metadata, |_, data| {
            let (key, value) = parse_metadata(data)?;
            metadata.insert(key, value);
            Ok(())
        });
        metadata
    }

    /// UTC readings: time on the tape and UTC, both in nanoseconds.
    pub fn clock_readings(&self) -> Vec<(u64, i64)> {
        let mut readings = Vec::new();
        self.each_system_frame(Role::Clock, |time_ns, data| {
            let mut cursor = crate::cursor::Cursor::new(data);
            readings.push((time_ns, cursor.u64("UTC reading")? as i64));
            Ok(())
        });
        readings
    }

    /// The describe streams of a stream.
    pub fn descriptions_of(&self, stream: StreamId) -> impl Iterator<Item = &TapeStream> {
        self.streams()
            .filter(move |other| other.spec().role == Role::Describe && other.spec().describes == Some(stream))
    }

    /// The frame of a stream that holds at a time: the last one at or before it, with its time.
    pub fn frame_at(&self, stream: &TapeStream, time_ns: u64) -> Result<Option<(u64, Vec<u8>)>, ReadError> {
        let mut frames = self.frames(stream);
        if !frames.seek_last_before(time_ns)? {
            return Ok(None);
        }
        Ok(frames.next()?.map(|frame| (frame.time_ns, frame.data.to_vec())))
    }

    /// The state that the last status frames give.
    pub(super) fn read_status(&self) -> BTreeMap<StreamId, Status> {
        let mut state = BTreeMap::new();
        let Some(stream) = self.stream_of_role(Role::Status) else { return state };
        let mut frames = self.frames(stream);
        let Some(last_ns) = stream.totals().last_ns else { return state };
        if frames.seek_time(last_ns).is_err() {
            return state;
        }
        while let Ok(Some(frame)) = frames.next() {
            if let Ok((Some(id), status)) = Status::parse(frame.data) {
                state.insert(id, status);
            }
        }
        state
    }
}
