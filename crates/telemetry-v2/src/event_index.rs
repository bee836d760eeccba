//! Hand-written `EventIndexEntry`: its field 1 is a string in the seed generation and an enum later. The wire type
//! tells them apart.

use bytes::{Buf, BufMut};
use prost::DecodeError;
use prost::encoding::{DecodeContext, WireType, int32, skip_field, string, uint32};

use crate::event_type;
use crate::proto::telemetry::v2::EventType;

/// The type of an event as stored in a footer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventName {
    /// By number, as in later generations. An unknown number is preserved.
    Number(i32),
    /// By name, as in the seed generation (`goal_scored`).
    Text(String),
}

impl Default for EventName {
    fn default() -> Self {
        Self::Number(0)
    }
}

impl EventName {
    /// The type, if this crate knows it.
    pub fn event_type(&self) -> Option<EventType> {
        match self {
            Self::Number(number) => EventType::try_from(*number).ok(),
            Self::Text(text) => event_type::from_seed_name(text),
        }
    }
}

/// All frames with an event of one type (`telemetry.v2.EventIndexEntry`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventIndexEntry {
    /// The type of the events.
    pub event: EventName,
    /// The frames, in ascending order.
    pub frame_indices: Vec<u32>,
}

impl prost::Message for EventIndexEntry {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        match &self.event {
            EventName::Number(0) => {}
            EventName::Number(number) => int32::encode(1, number, buf),
            // An empty string is written: without it, the entry would look like one of a later generation.
            EventName::Text(text) => string::encode(1, text, buf),
        }
        uint32::encode_packed(2, &self.frame_indices, buf);
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        ctx: DecodeContext,
    ) -> Result<(), DecodeError> {
        match (tag, wire_type) {
            (1, WireType::LengthDelimited) => {
                let mut text = String::new();
                string::merge(wire_type, &mut text, buf, ctx)?;
                self.event = EventName::Text(text);
                Ok(())
            }
            (1, _) => {
                let mut number = 0;
                int32::merge(wire_type, &mut number, buf, ctx)?;
                self.event = EventName::Number(number);
                Ok(())
            }
            (2, _) => uint32::merge_repeated(wire_type, &mut self.frame_indices, buf, ctx),
            _ => skip_field(wire_type, tag, buf, ctx),
        }
    }

    fn encoded_len(&self) -> usize {
        let event = match &self.event {
            EventName::Number(0) => 0,
            EventName::Number(number) => int32::encoded_len(1, number),
            EventName::Text(text) => string::encoded_len(1, text),
        };
        event + uint32::encoded_len_packed(2, &self.frame_indices)
    }

    fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message as _;

    #[test]
    fn names_and_numbers_come_back_as_they_were_written() {
        for event in [
            EventName::Number(0),
            EventName::Number(30),
            EventName::Number(777),
            EventName::Text("goal_scored".to_owned()),
        ] {
            let entry = EventIndexEntry { event, frame_indices: vec![0, 300, 70_000] };
            let bytes = entry.encode_to_vec();
            assert_eq!(bytes.len(), entry.encoded_len());
            assert_eq!(EventIndexEntry::decode(bytes.as_slice()).unwrap(), entry);
        }
    }

    #[test]
    fn goals_are_found_under_both_spellings() {
        assert_eq!(EventName::Number(30).event_type(), Some(EventType::GoalScored));
        assert_eq!(EventName::Text("goal_scored".to_owned()).event_type(), Some(EventType::GoalScored));
        assert_eq!(EventName::Number(777).event_type(), None);
        assert_eq!(EventName::Text("goal_missed".to_owned()).event_type(), None);
    }
}
