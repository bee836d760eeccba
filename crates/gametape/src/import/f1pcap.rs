//! Importer for `.f1pcap` captures of Pits n' Giggles: datagrams of the F1 games.
//!
//! ```text
//! F1UDP NUL · u8 flags (1: packets are zlib streams) · u8 version · u32 number of packets     12 bytes
//! f32 Unix seconds · u32 length · packet                                                      each packet
//! ```
//! The times of packets have a resolution of 128 seconds, so frames get the session time of the packet headers. The number of packets may be
//! too small: a file is read to its end. `f1pcap.records` has time, length and, if packets are compressed, the compressed bytes.

use std::io::Read as _;

use flate2::read::ZlibDecoder;
use gametape_format::{Channel, ChannelType, Role, StreamSpec};
use gametape_games::f1;

use super::error::ImportError;
use super::f1_packets::F1Packets;
use super::kind::Kind;
use super::out::Out;
use super::problems::{Problems, tell_foreign, tell_source};
use super::rest::Rest;
use super::{Found, Importer, Source};

/// Value of the metadata key `importer`. Raise the number when the same file produces a different tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " f1pcap 1");

const HEAD_BYTES: u64 = 12;
const RECORD_HEAD_BYTES: u64 = 8;
/// Largest datagram, and largest compressed one.
const LARGEST_DATAGRAM: u64 = 65_535;
/// A capture whose packets decompress to more than this, and to more than [`MOST_TIMES`] its size, is a decompression bomb.
const UNPACKED_BYTES: u64 = 64 << 20;
const MOST_TIMES: u64 = 100;
/// A session time that advances by more than this from one packet to the next is not believed.
const LONGEST_STEP_S: f32 = 86_400.0;
/// Times of captures in seconds since 1970.
const BELIEVABLE_S: std::ops::Range<f32> = 1.4e9..4.1e9;

/// Returns whether a file begins like one of these.
pub(super) fn is_f1pcap(start: &[u8]) -> bool {
    start.starts_with(b"F1UDP\0")
}

/// Reads `.f1pcap` captures.
pub(super) struct F1PcapImporter;

impl Importer for F1PcapImporter {
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError> {
        let mut problems = Problems::default();
        let head = source.read(&(0..source.bytes.min(HEAD_BYTES)))?;
        let is_packed = head.get(6).is_some_and(|flags| flags & 1 != 0);
        let first = record_at(source, HEAD_BYTES)?;
        let utc_s = first.map(|(time_s, _)| time_s).filter(|seconds| BELIEVABLE_S.contains(seconds));
        out.begin(utc_s.map(|seconds| seconds as i64 * 1_000_000_000))?;
        Rest::new("f1pcap.header").keep(out, 0, &head, 0)?;
        let records = StreamSpec {
            transport: "file".into(),
            role: Role::Describe,
            ..match is_packed {
                true => StreamSpec::rows("f1pcap.records"),
                false => {
                    let channels = vec![
                        Channel::new("time", ChannelType::F32, 0, 1, "s"),
                        Channel::new("length", ChannelType::U32, 4, 1, "B"),
                    ];
                    StreamSpec::columns("f1pcap.records", RECORD_HEAD_BYTES as u32, channels)
                }
            }
        };
        let records = out.add_stream(records)?;
        let (mut packets, mut clock) = (F1Packets::default(), SessionClock::default());
        let (mut at, mut count, mut unread) = (HEAD_BYTES, 0u64, Rest::new("f1pcap.unread"));
        let (mut unpacked_bytes, most_bytes) = (0, UNPACKED_BYTES.max(source.bytes.saturating_mul(MOST_TIMES)));
        while let Some((_, length)) = record_at(source, at)? {
            let data = at + RECORD_HEAD_BYTES..at + RECORD_HEAD_BYTES + u64::from(length);
            if u64::from(length) > LARGEST_DATAGRAM || data.end > source.bytes {
                break;
            }
            let bytes = source.read(&(at..data.end))?;
            let packet = bytes.get(RECORD_HEAD_BYTES as usize..).unwrap_or_default();
            let unpacked = if is_packed { unpack(packet) } else { Some(packet.to_vec()) };
            let place = format!("packet {count}, at byte {at}");
            match unpacked.filter(|datagram| !datagram.is_empty()) {
                Some(datagram) => {
                    unpacked_bytes += datagram.len() as u64;
                    if unpacked_bytes > most_bytes {
                        problems
                            .add(format!("{place}: the packets decompress to more than {MOST_TIMES} times the file"));
                        break;
                    }
                    let time_ns = clock.time_ns(&datagram);
                    let stream = packets.stream(&datagram, &place, out, &mut problems)?;
                    out.append(stream, time_ns, &datagram, at)?;
                }
                None if is_packed => problems.add(format!("{place}: it cannot be decompressed and is kept as bytes")),
                None => problems.add(format!("{place}: it is empty")),
            }
            let kept = if is_packed { bytes.as_slice() } else { bytes.get(..8).unwrap_or_default() };
            out.append(records, clock.last_ns, kept, at)?;
            (at, count) = (data.end, count + 1);
            if count.is_multiple_of(256) {
                progress(at);
            }
        }
        if at < source.bytes {
            problems.add(format!("packet {count}, at byte {at}: it is cut or damaged, the rest is kept as bytes"));
            unread.keep_stretch(out, clock.last_ns, source, at..source.bytes)?;
        }
        tell_source(out, source, Kind::F1Pcap, IMPORTER, "session_time", &problems)?;
        tell_foreign(out, source)?;
        Ok(Found { frames: count, problems: problems.list() })
    }
}

/// Reads the head of a record; `None` if the file ends before.
fn record_at(source: &Source, at: u64) -> Result<Option<(f32, u32)>, ImportError> {
    if at.saturating_add(RECORD_HEAD_BYTES) > source.bytes {
        return Ok(None);
    }
    let bytes = source.read(&(at..at + RECORD_HEAD_BYTES))?;
    let parts = bytes.first_chunk::<4>().zip(bytes.last_chunk::<4>());
    Ok(parts.map(|(time, length)| (f32::from_le_bytes(*time), u32::from_le_bytes(*length))))
}

/// Decompresses a packet; `None` if it is damaged or longer than a datagram.
fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut datagram = Vec::new();
    ZlibDecoder::new(packed).take(LARGEST_DATAGRAM + 1).read_to_end(&mut datagram).ok()?;
    (datagram.len() as u64 <= LARGEST_DATAGRAM).then_some(datagram)
}

/// Turns session times into tape times. They begin anew with each session, and go back at a flashback; tape time does not.
#[derive(Debug, Default)]
struct SessionClock {
    last_ns: u64,
    last: Option<(u64, f32)>,
}

impl SessionClock {
    fn time_ns(&mut self, datagram: &[u8]) -> u64 {
        if let Some((uid, seconds)) = session_time(datagram) {
            let step = self.last.filter(|(last, _)| *last == uid).map(|(_, last)| seconds - last);
            let step = step.filter(|step| (0.0..LONGEST_STEP_S).contains(step)).unwrap_or_default();
            self.last_ns = self.last_ns.saturating_add((f64::from(step) * 1e9).round() as u64);
            self.last = Some((uid, seconds));
        }
        self.last_ns
    }
}

/// Returns the id of the session and its time, by the table of the packet.
fn session_time(datagram: &[u8]) -> Option<(u64, f32)> {
    let (format, packet_id) = f1::format_and_packet_id(datagram)?;
    let layout = f1::packet_layout(format, packet_id)?;
    let at = |name: &str| layout.channel(name).map(|channel| channel.offset as usize);
    let (uid, time) = (at("sessionUID")?, at("sessionTime")?);
    let uid = u64::from_le_bytes(datagram.get(uid..uid + 8)?.try_into().ok()?);
    let time = f32::from_le_bytes(datagram.get(time..time + 4)?.try_into().ok()?);
    Some((uid, time)).filter(|(_, time)| time.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(uid: u64, seconds: f32) -> Vec<u8> {
        let layout = f1::packet_layout(2024, 2).unwrap();
        let mut bytes = vec![0; layout.frame_bytes() as usize];
        bytes[..2].copy_from_slice(&2024u16.to_le_bytes());
        for (name, value) in
            [("packetId", &[2u8][..]), ("sessionUID", &uid.to_le_bytes()), ("sessionTime", &seconds.to_le_bytes())]
        {
            let at = layout.channel(name).unwrap().offset as usize;
            bytes[at..at + value.len()].copy_from_slice(value);
        }
        bytes
    }

    #[test]
    fn the_clock_is_the_session_time_and_does_not_go_back() {
        let mut clock = SessionClock::default();
        let mut at = |uid, seconds| clock.time_ns(&packet(uid, seconds)) / 1_000_000;
        assert_eq!([at(1, 100.0), at(1, 100.5), at(1, 90.0), at(1, 91.0)], [0, 500, 500, 1_500]);
        assert_eq!([at(2, 5.0), at(2, 5.25), at(2, f32::NAN), at(2, 6.25)], [1_500, 1_750, 1_750, 2_750]);
        assert_eq!(clock.time_ns(b"short"), 2_750_000_000);
    }

    #[test]
    fn a_packet_that_is_too_long_is_not_unpacked() {
        use std::io::Write as _;
        let pack = |bytes: &[u8]| {
            let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
            zlib.write_all(bytes).unwrap();
            zlib.finish().unwrap()
        };
        assert_eq!(unpack(&pack(b"abc")).as_deref(), Some(&b"abc"[..]));
        assert_eq!(unpack(&pack(&vec![0; 10_000_000])), None);
        assert_eq!(unpack(b"abc"), None);
    }
}
