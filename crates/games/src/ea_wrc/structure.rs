//! Turns a structure file of the game into layouts.
use thiserror::Error;

use super::channels::packed;
use crate::echo_vr::{Fields, Items, text_value};
use crate::layout::{Layout, LayoutError};

/// Longer ids of structures are cut: tapes store them.
const LONGEST_ID: usize = 64;

/// Why a structure has no layout.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum StructureError {
    /// The text is not a structure.
    #[error("not a structure of EA SPORTS WRC: it has no list of packets; expected a file of the folder telemetry/udp")]
    NotAStructure,
    /// The structure has no such packet.
    #[error("the structure has no packet {packet:?}")]
    NoPacket {
        /// Id of the packet.
        packet: String,
    },
    /// A channel is unknown. Its type, and the offsets of all channels behind it, are unknown too.
    #[error("unknown channel {channel:?} in packet {packet:?}")]
    UnknownChannel {
        /// Id of the channel.
        channel: String,
        /// Id of the packet.
        packet: String,
    },
    /// The channels do not form a layout, for example because one of them is listed twice.
    #[error("packet {packet:?}: {error}")]
    Layout {
        /// Id of the packet.
        packet: String,
        /// What is wrong.
        error: LayoutError,
    },
}

/// Returns the layout of a packet, such as `session_update`, in a structure: the channels of the header, then those of the packet.
///
/// # Errors
/// If the text is not a structure, has no such packet, or lists a channel that is not known.
pub fn layout_of_structure(structure_json: &str, packet_id: &str) -> Result<Layout, StructureError> {
    let text = structure_json.trim_start_matches('\u{feff}').as_bytes();
    let packets = Fields::find(text, "packets").ok_or(StructureError::NotAStructure)?;
    let is_wanted = |packet: &&[u8]| text_of(packet, "id").as_deref() == Some(packet_id);
    let packet = || packet_id.to_owned();
    let found = Items::of(packets).find(is_wanted).ok_or_else(|| StructureError::NoPacket { packet: packet() })?;
    let header = Fields::find(text, "header").unwrap_or_default();
    let names: Vec<String> = channels(header).chain(channels(found)).collect();
    let structure = text_of(text, "id").unwrap_or_else(|| "unnamed".into());
    let structure: String = structure.chars().take(LONGEST_ID).collect();
    let id = format!("ea-wrc-{structure}-{packet_id}");
    packed(id, names.iter().map(String::as_str))
        .map_err(|channel| StructureError::UnknownChannel { channel, packet: packet() })?
        .map_err(|error| StructureError::Layout { packet: packet(), error })
}

/// Returns the text with this key of an object.
pub(super) fn text_of(object: &[u8], key: &str) -> Option<String> {
    Fields::find(object, key).and_then(text_value)
}

/// Returns the ids in a list of channels. An item that is not a text becomes an empty id, which is unknown.
fn channels(object: &[u8]) -> impl Iterator<Item = String> + '_ {
    let list = Fields::find(object, "channels").unwrap_or_default();
    Items::of(list).map(|item| text_value(item).unwrap_or_default())
}
