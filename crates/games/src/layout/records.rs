//! Layouts of pages that contain arrays of structs, such as one for each car, at documented offsets.
use super::{Channel, Layout, LayoutError};

/// Structs of one kind that follow each other in a frame.
#[derive(Debug)]
pub(crate) struct Records {
    /// Name of the array. The channels of its structs are named `name[0].field`, or `name[0]` if the field has no name.
    pub(crate) name: &'static str,
    /// Offset of the first struct in the frame.
    pub(crate) offset: u32,
    /// Distance from one struct to the next.
    pub(crate) bytes: u32,
    /// Number of structs.
    pub(crate) count: u32,
    /// Channels of a struct, with offsets from its start.
    pub(crate) channels: Vec<Channel>,
}

impl Records {
    /// Describes `count` structs from a table.
    pub(crate) fn of(name: &'static str, offset: u32, bytes: u32, count: u32, channels: &[Channel]) -> Self {
        Self { name, offset, bytes, count, channels: channels.to_vec() }
    }

    fn placed(&self) -> impl Iterator<Item = Channel> {
        (0..self.count).flat_map(move |index| {
            self.channels.iter().map(move |channel| {
                let dot = if channel.name.is_empty() { "" } else { "." };
                let name = format!("{}[{index}]{dot}{}", self.name, channel.name);
                Channel {
                    name: name.into(),
                    offset: self.offset + index * self.bytes + channel.offset,
                    ..channel.clone()
                }
            })
        })
    }
}

/// Builds the layout of a frame with these channels and arrays of structs.
pub(crate) fn layout(
    id: &'static str,
    frame_bytes: u32,
    channels: impl IntoIterator<Item = Channel>,
    records: &[Records],
) -> Result<Layout, LayoutError> {
    let all = channels.into_iter().chain(records.iter().flat_map(Records::placed)).collect();
    Layout::new(id, frame_bytes, all)
}

/// Builds layouts that live as long as the program. A table with an error is left out; tests build all of them.
pub(crate) fn leaked(layouts: impl IntoIterator<Item = Result<Layout, LayoutError>>) -> Vec<&'static Layout> {
    layouts.into_iter().flatten().map(|layout| &*Box::leak(Box::new(layout))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Kind;

    #[test]
    fn structs_are_numbered_and_placed_one_after_the_other() {
        const FIELDS: [Channel; 2] =
            [Channel::fixed("a", 0, Kind::U16, 1, "m"), Channel::fixed("b", 4, Kind::U8, 2, "")];
        const TEXT: [Channel; 1] = [Channel::fixed("", 0, Kind::Char, 4, "")];
        let records = [Records::of("car", 8, 6, 2, &FIELDS), Records::of("name", 20, 4, 2, &TEXT)];
        let built = layout("test", 28, [Channel::fixed("head", 0, Kind::U64, 1, "")], &records).unwrap();
        let found: Vec<(&str, u32)> =
            built.channels().iter().map(|channel| (channel.name.as_ref(), channel.offset)).collect();
        let expected = [
            ("head", 0),
            ("car[0].a", 8),
            ("car[0].b", 12),
            ("car[1].a", 14),
            ("car[1].b", 18),
            ("name[0]", 20),
            ("name[1]", 24),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn structs_that_overlap_are_refused() {
        const FIELDS: [Channel; 1] = [Channel::fixed("a", 0, Kind::U32, 1, "")];
        assert!(layout("test", 28, [], &[Records::of("car", 8, 3, 2, &FIELDS)]).is_err());
    }
}
