//! Streams for datagrams of the F1 games: one for each kind of packet.
//!
//! If a file has packets of a second format, their stream names get the format as a suffix: `motion-2024`.

use std::collections::HashMap;

use gametape_format::{StreamId, StreamSpec};
use gametape_games::f1;

use super::error::ImportError;
use super::out::{Out, add_stream_or_plain};
use super::problems::Problems;
use crate::layout::stream_of_layout;

/// Maximum number of packet kinds with a separate stream. A season has 16; a broken file can have thousands.
const MAX_PACKET_KINDS: usize = 256;

/// The streams of the packets observed so far.
#[derive(Debug, Default)]
pub(super) struct F1Packets {
    packets: HashMap<(u16, u8), StreamId>,
    other_packets: Option<StreamId>,
    first_format: Option<u16>,
}

impl F1Packets {
    /// Returns the stream of a datagram, and adds it if it is new. `at` says where the datagram is in the file.
    pub(super) fn stream(
        &mut self,
        datagram: &[u8],
        at: &str,
        out: &mut dyn Out,
        problems: &mut Problems,
    ) -> Result<StreamId, ImportError> {
        let kind = f1::format_and_packet_id(datagram);
        if let Some(stream) = kind.and_then(|kind| self.packets.get(&kind)) {
            return Ok(*stream);
        }
        let known = kind.and_then(|kind| Some((kind, f1::game_id(kind.0)?)));
        let Some(((format, packet_id), game)) = known.filter(|_| self.packets.len() < MAX_PACKET_KINDS) else {
            if let Some(stream) = self.other_packets {
                return Ok(stream);
            }
            problems.add(format!("{at}: its datagram is of no known format"));
            let spec = StreamSpec { game: "f1".into(), transport: "file".into(), ..StreamSpec::rows("other-packets") };
            return Ok(*self.other_packets.insert(out.add_stream(spec)?));
        };
        let mut name = f1::packet_name(packet_id).map_or_else(|| format!("packet-{packet_id}"), Into::into);
        if *self.first_format.get_or_insert(format) != format {
            name = format!("{name}-{format}");
        }
        let spec = match f1::packet_layout(format, packet_id) {
            Some(layout) => stream_of_layout(&game, &name, "file", layout),
            None => StreamSpec { game, transport: "file".into(), ..StreamSpec::rows(name.as_str()) },
        };
        let stream = add_stream_or_plain(out, spec, &mut |problem| problems.add(problem))?;
        self.packets.insert((format, packet_id), stream);
        Ok(stream)
    }
}
