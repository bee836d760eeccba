//! Decodes zstd frames in pure Rust, for builds without a C compiler.

use std::io::{self, Read};

use ruzstd::decoding::{self, BlockDecodingStrategy, FrameDecoder};

use super::{Fault, Input, Step};
use crate::dictionary::Dictionary;
use crate::limits::Limits;

pub(crate) struct PureBackend {
    decoder: FrameDecoder,
    started: bool,
}

impl PureBackend {
    pub(crate) fn new(limits: &Limits, dictionary: Option<&Dictionary>) -> io::Result<Self> {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(limits.window_bytes as u64);
        let invalid = |error: &dyn std::fmt::Display| io::Error::new(io::ErrorKind::InvalidData, error.to_string());
        if let Some(dictionary) = dictionary {
            let tables = decoding::Dictionary::decode_dict(dictionary.bytes());
            // Used only by the frames that refer to its id.
            decoder.add_dict(tables.map_err(|error| invalid(&error))?).map_err(|error| invalid(&error))?;
        }
        Ok(Self { decoder, started: false })
    }

    #[allow(clippy::unnecessary_wraps)]
    pub(crate) fn begin(&mut self, _uses_dictionary: bool) -> io::Result<()> {
        self.started = false;
        Ok(())
    }

    pub(crate) fn step<R: Read>(&mut self, input: &mut Input<R>, held: &mut Vec<u8>) -> Result<Step, Fault> {
        // The decoder does not tell whether its source failed or ended, so the source records it.
        let mut watched = Watched { input, error: None, ended: false };
        let result = if self.started {
            self.decoder.decode_blocks(&mut watched, BlockDecodingStrategy::UptoBlocks(1)).map(|_| ())
        } else {
            self.decoder.reset(&mut watched)
        };
        let Watched { error, ended, .. } = watched;
        if let Some(error) = error {
            return Err(Fault::Io(error));
        }
        if let Err(error) = result {
            return Err(if ended { Fault::Truncated } else { Fault::Damaged(error.to_string()) });
        }
        if !self.started {
            self.started = true;
            return Ok(Step::More);
        }
        if let Some(bytes) = self.decoder.collect() {
            held.extend_from_slice(&bytes);
        }
        if !self.decoder.is_finished() {
            return Ok(Step::More);
        }
        match (self.decoder.get_checksum_from_data(), self.decoder.get_calculated_checksum()) {
            (Some(stated), Some(found)) if stated != found => Err(Fault::Damaged("checksum mismatch".to_owned())),
            _ => Ok(Step::Done),
        }
    }
}

struct Watched<'a, R> {
    input: &'a mut Input<R>,
    error: Option<io::Error>,
    ended: bool,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.input.read(out) {
            Ok(0) if !out.is_empty() => {
                self.ended = true;
                Ok(0)
            }
            Err(error) => {
                let kind = error.kind();
                self.error = Some(error);
                Err(kind.into())
            }
            other => other,
        }
    }
}

#[cfg(all(test, feature = "zstd"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn unpack(file: &[u8]) -> Result<Vec<u8>, Fault> {
        unpack_with(file, None)
    }

    fn unpack_with(file: &[u8], dictionary: Option<&Dictionary>) -> Result<Vec<u8>, Fault> {
        let mut backend = PureBackend::new(&Limits::default(), dictionary).unwrap();
        let (mut input, mut held) = (Input::new(file), Vec::new());
        backend.begin(dictionary.is_some()).unwrap();
        loop {
            if let Step::Done = backend.step(&mut input, &mut held)? {
                return Ok(held);
            }
        }
    }

    #[test]
    fn frames_of_the_c_library_are_unpacked_and_damage_is_seen() {
        let raw: Vec<u8> = (0..300_000u32).flat_map(|i| (i.wrapping_mul(i) % 1013).to_le_bytes()).collect();
        let mut compressor = zstd::bulk::Compressor::new(3).unwrap();
        compressor.include_checksum(true).unwrap();
        let mut packed = compressor.compress(&raw).unwrap();
        assert_eq!(unpack(&packed).unwrap(), raw);
        assert!(matches!(unpack(&packed[..packed.len() / 2]), Err(Fault::Truncated)));
        // The checksum: the last four bytes.
        *packed.last_mut().unwrap() ^= 1;
        assert!(matches!(unpack(&packed), Err(Fault::Damaged(_))));
    }

    #[test]
    fn frames_with_a_dictionary_are_unpacked_as_the_c_library_packs_them() {
        let dictionary = crate::dictionary::tests::example(40_000, 0);
        let text = br#"{"slot":3,"display_name":"Driver 4","team":"blue","session_id":"00000000-0000-4000-8000-000000000007"}"#;
        let mut compressor = zstd::bulk::Compressor::with_dictionary(3, dictionary.bytes()).unwrap();
        compressor.include_checksum(true).unwrap();
        let packed = compressor.compress(text).unwrap();
        assert!(packed.len() < zstd::bulk::compress(text, 3).unwrap().len());
        assert_eq!(unpack_with(&packed, Some(&dictionary)).unwrap(), text);
        assert!(matches!(unpack(&packed), Err(Fault::Damaged(_))));
        // Frames without a dictionary can be read as well.
        let plain: Vec<u8> = (0..5000u32).flat_map(|i| (i % 7).to_le_bytes()).collect();
        assert_eq!(unpack_with(&zstd::bulk::compress(&plain, 3).unwrap(), Some(&dictionary)).unwrap(), plain);
    }
}
