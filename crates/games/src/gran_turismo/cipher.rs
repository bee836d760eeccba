//! Encryption of the datagrams: Salsa20 with keys that are part of the games.
//!
//! The keystream depends on a 32-bit initialization vector (iv) that changes with every packet and is sent in plain text at 0x40, in place of the
//! packet's own bytes there. Each packet kind combines it with another constant, so the constant that yields the packet's magic number also
//! confirms the kind. Encryption and decryption are the same operation, and both leave the iv where it is.
use salsa20::Salsa20;
use salsa20::cipher::{KeyIvInit as _, StreamCipher as _};

use super::heartbeat::PacketKind;
use super::{GT6, RAW};
use crate::bytes::array_at;

/// Offset of the iv.
const IV_AT: usize = 0x40;
/// Bytes of packet A that are always zero.
const ZEROS: std::ops::Range<usize> = 0xD4..0xF4;
/// "G7S0" in little endian.
pub(super) const MAGIC: [u8; 4] = *b"0S7G";
/// "G6S0", in big endian like all numbers of Gran Turismo 6.
pub(super) const GT6_MAGIC: [u8; 4] = *b"G6S0";

const GT7_KEY: &[u8; 32] = b"Simulator Interface Packet GT7 v";
const GT_SPORT_KEY: &[u8; 32] = b"Simulator Interface Packet ver 0";

/// A kind of packet on the wire.
#[derive(Debug)]
pub(super) struct Kind {
    pub(super) stream: &'static str,
    bytes: usize,
    magic: [u8; 4],
    key: &'static [u8; 32],
    iv_mask: u32,
    big_endian: bool,
}

/// The kinds of Gran Turismo 7.
pub(super) const GT7: &[Kind] = &[
    gt7("c", PacketKind::C, 0xDEAD_BEEF),
    gt7("tilde", PacketKind::Tilde, 0x55FA_BB4F),
    gt7("b", PacketKind::B, 0xDEAD_BEEF),
    gt7("a", PacketKind::A, 0xDEAD_BEAF),
];

/// The kinds of Gran Turismo Sport and Gran Turismo 6.
pub(super) const GT_SPORT: &[Kind] = &[
    Kind { key: GT_SPORT_KEY, ..gt7("a", PacketKind::A, 0xDEAD_BEAF) },
    Kind { key: GT_SPORT_KEY, magic: GT6_MAGIC, big_endian: true, ..gt7(GT6, PacketKind::A, 0xDEAD_BEAF) },
];

const fn gt7(stream: &'static str, kind: PacketKind, iv_mask: u32) -> Kind {
    Kind { stream, bytes: kind.packet_bytes(), magic: MAGIC, key: GT7_KEY, iv_mask, big_endian: false }
}

/// Returns the stream of a datagram, and appends the plain packet to `plain` unless the stream is [`RAW`]. `None` if the datagram is not from a
/// game with these kinds.
pub(super) fn decrypt(kinds: &[Kind], datagram: &[u8], plain: &mut Vec<u8>) -> Option<&'static str> {
    if let Some(kind) = kinds.iter().find(|kind| kind.bytes == datagram.len() && kind.has_magic(datagram)) {
        plain.extend_from_slice(datagram);
        kind.apply(plain);
        if !kind.restores(plain, datagram) {
            plain.clear();
            return Some(RAW);
        }
        return Some(kind.stream);
    }
    kinds.iter().any(|kind| kind.is_relative(datagram)).then_some(RAW)
}

impl Kind {
    /// Encrypts or decrypts a packet, all but the iv. Bytes too short to hold an iv stay as they are.
    pub(super) fn apply(&self, packet: &mut [u8]) {
        let Some(iv) = array_at::<4>(packet, IV_AT) else { return };
        self.cipher(iv).apply_keystream(packet);
        if let Some(word) = packet.get_mut(IV_AT..IV_AT + 4) {
            word.copy_from_slice(&iv);
        }
    }

    /// Returns whether encrypting a plain packet gives the datagram again, byte for byte.
    fn restores(&self, plain: &[u8], datagram: &[u8]) -> bool {
        let mut again = plain.to_vec();
        self.apply(&mut again);
        again == datagram
    }

    fn cipher(&self, iv: [u8; 4]) -> Salsa20 {
        let iv = if self.big_endian { u32::from_be_bytes(iv) } else { u32::from_le_bytes(iv) };
        let mut nonce = [0; 8];
        let (masked, plain) = nonce.split_at_mut(4);
        masked.copy_from_slice(&(iv ^ self.iv_mask).to_le_bytes());
        plain.copy_from_slice(&iv.to_le_bytes());
        Salsa20::new(&(*self.key).into(), &nonce.into())
    }

    /// Returns whether a datagram begins with the magic number of this kind.
    fn has_magic(&self, datagram: &[u8]) -> bool {
        let (Some(iv), Some(mut magic)) = (array_at(datagram, IV_AT), array_at::<4>(datagram, 0)) else { return false };
        self.cipher(iv).apply_keystream(&mut magic);
        magic == self.magic
    }

    /// Returns whether a datagram of any length is from this game: it also has the bytes that are always zero. Four bytes alone would fit some
    /// datagram of another game now and then.
    fn is_relative(&self, datagram: &[u8]) -> bool {
        let Some(front) = datagram.get(..PacketKind::A.packet_bytes()).filter(|_| self.has_magic(datagram)) else {
            return false;
        };
        let mut front = front.to_vec();
        self.apply(&mut front);
        front.get(ZEROS).is_some_and(|zeros| zeros.iter().all(|byte| *byte == 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(bytes: usize, magic: [u8; 4], iv: u32) -> Vec<u8> {
        let mut packet: Vec<u8> = (0..bytes).map(|at| (at * 7 + at / 256) as u8).collect();
        packet[..4].copy_from_slice(&magic);
        packet[ZEROS].fill(0);
        packet[IV_AT..IV_AT + 4].copy_from_slice(&iv.to_le_bytes());
        packet
    }

    fn encrypted(kind: &Kind, mut packet: Vec<u8>) -> Vec<u8> {
        kind.apply(&mut packet);
        packet
    }

    #[test]
    fn a_packet_that_does_not_give_its_datagram_again_is_noticed() {
        let kind = &GT7[0];
        let sent = packet(kind.bytes, MAGIC, 99);
        let datagram = encrypted(kind, sent.clone());
        assert!(kind.restores(&sent, &datagram));
        for at in 0..sent.len() {
            let mut changed = sent.clone();
            changed[at] ^= 1;
            assert!(!kind.restores(&changed, &datagram), "byte {at}");
        }
    }

    #[test]
    fn every_kind_is_recognized_and_restored() {
        for kind in GT7.iter().chain(GT_SPORT) {
            for iv in [0, 1, 0xDEAD_BEAF, 0x1234_5678, u32::MAX] {
                let sent = packet(kind.bytes, kind.magic, iv);
                let datagram = encrypted(kind, sent.clone());
                assert_ne!(datagram, sent);
                let (own, other) = if kind.key == GT7_KEY { (GT7, GT_SPORT) } else { (GT_SPORT, GT7) };
                let mut plain = Vec::new();
                assert_eq!(decrypt(own, &datagram, &mut plain), Some(kind.stream));
                assert_eq!(plain, sent);
                assert_eq!(encrypted(kind, plain), datagram);
                assert_eq!(decrypt(other, &datagram, &mut Vec::new()), None);
            }
        }
    }

    #[test]
    fn unknown_lengths_and_constants_are_kept_as_they_came() {
        let [c, tilde, ..] = GT7 else { panic!("no kinds") };
        // A longer packet of a future version, and packet C with the constant of another kind.
        for (kind, bytes) in [(c, 400), (tilde, 368)] {
            let datagram = encrypted(kind, packet(bytes, MAGIC, 99));
            let mut plain = Vec::new();
            assert_eq!((decrypt(GT7, &datagram, &mut plain), plain.len()), (Some(RAW), 0));
        }
        let mut other = packet(400, MAGIC, 99);
        other[ZEROS.start] = 1;
        assert_eq!(decrypt(GT7, &encrypted(c, other), &mut Vec::new()), None, "the magic number alone does not do");
        assert_eq!(decrypt(GT7, &encrypted(c, packet(295, MAGIC, 99)), &mut Vec::new()), None, "too short");
    }
}
