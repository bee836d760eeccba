//! Builds the footer's indexes while frames are written: collects their numbers, offsets and events for the `CaptureFooter`.

use std::collections::BTreeMap;

use crate::event_index::{EventIndexEntry, EventName};
use crate::generation::Generation;
use crate::meaning;
use crate::proto::telemetry::v2::{CaptureFooter, EventType, KeyframeEntry, envelope};
use crate::record::Record;

/// Collects the contents of the footer.
#[derive(Debug, Default)]
pub(super) struct IndexBuilder {
    pub(super) frame_count: u32,
    duration_ms: u32,
    keyframes: Vec<KeyframeEntry>,
    events: BTreeMap<EventType, Vec<u32>>,
    /// Entries of events unknown to this crate, taken from a source.
    pub(super) unknown: Vec<EventIndexEntry>,
}

impl IndexBuilder {
    pub(super) fn keyframe(&mut self, frame_index: u32, byte_offset: u64) {
        self.keyframes.push(KeyframeEntry { frame_index, byte_offset });
    }

    pub(super) fn frame(&mut self, frame_index: u32, offset_ms: u32, events: impl Iterator<Item = EventType>) {
        self.frame_count = self.frame_count.saturating_add(1);
        self.duration_ms = self.duration_ms.max(offset_ms);
        for event in events {
            let frames = self.events.entry(event).or_default();
            // A frame is listed once, however many events of the type it has.
            if frames.last() != Some(&frame_index) {
                frames.push(frame_index);
            }
        }
    }

    /// Creates the footer's record. `offset` is where it will be written; `stream_bytes` is the size of the stream before it.
    pub(super) fn footer(&mut self, generation: Generation, offset: u64, stream_bytes: u64) -> Record {
        let events = std::mem::take(&mut self.events).into_iter();
        let mut event_index: Vec<_> = events
            .map(|(event, frame_indices)| EventIndexEntry { event: EventName::Number(event.into()), frame_indices })
            .collect();
        meaning::event_index_for(&mut event_index, generation);
        event_index.append(&mut self.unknown);
        let mut footer = CaptureFooter {
            frame_count: self.frame_count,
            duration_ms: self.duration_ms,
            footer_offset: if generation == Generation::Seed { stream_bytes } else { offset },
            keyframe_index: std::mem::take(&mut self.keyframes),
            event_index,
        };
        if generation != Generation::Seed {
            return Record::from_message(envelope::Message::Footer(footer));
        }
        // The seed generation stores the size of the whole stream, which includes this number itself. Its encoding can
        // get longer, so it is iterated until it fits.
        loop {
            let record = Record::from_message(envelope::Message::Footer(footer.clone()));
            let mut total = stream_bytes + record.bytes().len() as u64;
            total += prost::length_delimiter_len(record.bytes().len()) as u64;
            if total <= footer.footer_offset {
                return record;
            }
            footer.footer_offset = total;
        }
    }
}
