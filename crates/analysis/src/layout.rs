//! Layouts of games as the channel tables of tapes.
//!
//! `format` and `games` do not know each other; here a game's [`Layout`] becomes the part of a stream's descriptor that lets a
//! reader without game code find values by name, and that part becomes a layout again for game code.

use gametape_format::{Channel, ChannelType, StreamSpec};
use gametape_games::{Kind, Layout, LayoutError};

/// The type that a kind of value has on a tape.
pub fn channel_type(kind: Kind) -> ChannelType {
    match kind {
        Kind::U8 => ChannelType::U8,
        Kind::I8 => ChannelType::I8,
        Kind::U16 => ChannelType::U16,
        Kind::I16 => ChannelType::I16,
        Kind::U32 => ChannelType::U32,
        Kind::I32 => ChannelType::I32,
        Kind::U64 => ChannelType::U64,
        Kind::I64 => ChannelType::I64,
        Kind::F32 => ChannelType::F32,
        Kind::F64 => ChannelType::F64,
        Kind::Bool => ChannelType::Bool,
        Kind::Char => ChannelType::Char,
        Kind::Char16 => ChannelType::Char16,
        Kind::Bits32 => ChannelType::Bits32,
    }
}

/// The channel as it stands in a stream's descriptor.
pub fn tape_channel(channel: &gametape_games::Channel) -> Channel {
    let (name, unit) = (channel.name.as_ref(), channel.unit.as_ref());
    Channel::new(name, channel_type(channel.kind), channel.offset, channel.count, unit)
}

/// A stream of a game whose frames have this layout.
pub fn stream_of_layout(game: &str, stream: &str, transport: &str, layout: &Layout) -> StreamSpec {
    StreamSpec {
        game: game.into(),
        transport: transport.into(),
        layout: layout.id().into(),
        ..StreamSpec::columns(stream, layout.frame_bytes(), layout.channels().iter().map(tape_channel).collect())
    }
}

/// What a type on a tape is to games; flags of widths that no game has are numbers.
fn kind(channel_type: ChannelType) -> Kind {
    match channel_type {
        ChannelType::U8 | ChannelType::Bits8 => Kind::U8,
        ChannelType::I8 => Kind::I8,
        ChannelType::U16 | ChannelType::Bits16 => Kind::U16,
        ChannelType::I16 => Kind::I16,
        ChannelType::U32 => Kind::U32,
        ChannelType::I32 => Kind::I32,
        ChannelType::U64 | ChannelType::Bits64 => Kind::U64,
        ChannelType::I64 => Kind::I64,
        ChannelType::F32 => Kind::F32,
        ChannelType::F64 => Kind::F64,
        ChannelType::Bool => Kind::Bool,
        ChannelType::Char => Kind::Char,
        ChannelType::Char16 => Kind::Char16,
        ChannelType::Bits32 => Kind::Bits32,
    }
}

/// The layout of a stream's frames as its descriptor gives it. Streams of frames that vary in size have an empty one.
///
/// # Errors
/// Names what is wrong with the channel table.
pub fn layout_of_stream(spec: &StreamSpec) -> Result<Layout, LayoutError> {
    let id = if spec.layout.is_empty() { &spec.name } else { &spec.layout };
    let channels = spec.channels.iter().map(|channel| gametape_games::Channel {
        name: channel.name.clone().into(),
        offset: channel.offset,
        kind: kind(channel.kind),
        count: channel.count,
        unit: channel.unit.clone().into(),
    });
    Layout::new(id.clone(), spec.frame_bytes, channels.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layout_of_every_game_is_a_sound_stream_description() {
        for game in gametape_games::GAMES {
            for stream in game.streams {
                for layout in stream.layouts {
                    let spec = stream_of_layout(game.id, stream.name, "shm", layout);
                    spec.check().unwrap();
                    assert_eq!(spec.channels.len(), layout.channels().len());
                    for (tape, game) in spec.channels.iter().zip(layout.channels()) {
                        assert_eq!(tape.kind.width() as u32, game.kind.bytes(), "{}", tape.name);
                    }
                    assert_eq!(&layout_of_stream(&spec).unwrap(), *layout);
                }
            }
        }
    }
}
