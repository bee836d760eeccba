//! Conversion between game layouts and the channel tables of tapes.
//!
//! The `format` and `games` crates do not depend on each other. This module turns a game's [`Layout`] into the channel table of a
//! stream descriptor, with which a reader without game code finds values by name, and turns that table back into a layout for game
//! code.

use gametape_format::{Channel, ChannelType, StreamSpec};
use gametape_games::{Kind, Layout, LayoutError};

/// Returns the channel type on a tape for a game's value kind.
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

/// Returns a game's channel as a stream descriptor stores it.
pub fn tape_channel(channel: &gametape_games::Channel) -> Channel {
    let (name, unit) = (channel.name.as_ref(), channel.unit.as_ref());
    Channel::new(name, channel_type(channel.kind), channel.offset, channel.count, unit)
}

/// Returns the descriptor of a game stream whose frames have this layout.
pub fn stream_of_layout(game: &str, stream: &str, transport: &str, layout: &Layout) -> StreamSpec {
    StreamSpec {
        game: game.into(),
        transport: transport.into(),
        layout: layout.id().into(),
        ..StreamSpec::columns(stream, layout.frame_bytes(), layout.channels().iter().map(tape_channel).collect())
    }
}

/// Returns a game's value kind for a channel type on a tape. Bit fields of widths that no game uses become integers.
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

/// Returns the layout of a stream's frames, from its descriptor. Streams with frames of varying size have an empty layout.
///
/// # Errors
/// If the channel table is invalid; the error names the fault.
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
                for layout in stream.layouts() {
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
