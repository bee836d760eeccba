//! Decodes zstd frames with the zstd library.

use std::io::{self, Read};

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation as _, OutBuffer};

use super::{Fault, Input, Step};
use crate::dictionary::Dictionary;
use crate::limits::Limits;

const OUT_BYTES: usize = 128 << 10;

pub(crate) struct CBackend {
    decoder: Decoder<'static>,
    /// For frames that refer to the dictionary. Frames without one must not use it: it would change the meaning of
    /// their repeat offsets.
    with_dictionary: Option<Decoder<'static>>,
    /// Whether the current frame refers to the dictionary.
    uses_dictionary: bool,
    out: Vec<u8>,
}

impl CBackend {
    pub(crate) fn new(limits: &Limits, dictionary: Option<&Dictionary>) -> io::Result<Self> {
        let bounded = |mut decoder: Decoder<'static>| {
            // The smallest possible window is 2^10, the largest 2^31.
            decoder.set_parameter(DParameter::WindowLogMax(limits.window_bytes.max(1).ilog2().clamp(10, 31)))?;
            Ok::<_, io::Error>(decoder)
        };
        let of_dictionary = |dictionary: &Dictionary| bounded(Decoder::with_dictionary(dictionary.bytes())?);
        Ok(Self {
            decoder: bounded(Decoder::new()?)?,
            with_dictionary: dictionary.map(of_dictionary).transpose()?,
            uses_dictionary: false,
            out: vec![0; OUT_BYTES],
        })
    }

    fn decoder(&mut self) -> (&mut Decoder<'static>, &mut [u8]) {
        match &mut self.with_dictionary {
            Some(decoder) if self.uses_dictionary => (decoder, &mut self.out),
            _ => (&mut self.decoder, &mut self.out),
        }
    }

    pub(crate) fn begin(&mut self, uses_dictionary: bool) -> io::Result<()> {
        self.uses_dictionary = uses_dictionary;
        self.decoder().0.reinit()
    }

    pub(crate) fn step<R: Read>(&mut self, input: &mut Input<R>, held: &mut Vec<u8>) -> Result<Step, Fault> {
        let bytes = input.available().map_err(Fault::Io)?;
        let at_end = bytes.is_empty();
        let mut source = InBuffer::around(bytes);
        let (decoder, out) = self.decoder();
        let mut target = OutBuffer::around(out);
        // Errors of the library are errors in the data: it does no I/O itself.
        let hint = decoder.run(&mut source, &mut target).map_err(|error| Fault::Damaged(error.to_string()))?;
        held.extend_from_slice(target.as_slice());
        let (used, made) = (source.pos(), target.pos());
        input.consume(used);
        match hint {
            0 => Ok(Step::Done),
            _ if at_end && made == 0 => Err(Fault::Truncated),
            _ => Ok(Step::More),
        }
    }
}
