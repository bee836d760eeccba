//! Frames decoded by the zstd library.

use std::io::{self, Read};

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation as _, OutBuffer};

use super::{Fault, Input, Step};
use crate::limits::Limits;

const OUT_BYTES: usize = 128 << 10;

pub(crate) struct CBackend {
    decoder: Decoder<'static>,
    out: Vec<u8>,
}

impl CBackend {
    pub(crate) fn new(limits: &Limits) -> io::Result<Self> {
        let mut decoder = Decoder::new()?;
        // 2^10 is the smallest window there is, 2^31 the largest.
        decoder.set_parameter(DParameter::WindowLogMax(limits.window_bytes.max(1).ilog2().clamp(10, 31)))?;
        Ok(Self { decoder, out: vec![0; OUT_BYTES] })
    }

    pub(crate) fn begin(&mut self) -> io::Result<()> {
        self.decoder.reinit()
    }

    pub(crate) fn step<R: Read>(&mut self, input: &mut Input<R>, held: &mut Vec<u8>) -> Result<Step, Fault> {
        let bytes = input.available().map_err(Fault::Io)?;
        let at_end = bytes.is_empty();
        let mut source = InBuffer::around(bytes);
        let mut target = OutBuffer::around(self.out.as_mut_slice());
        // Errors of the library are errors of the data: it reads nothing itself.
        let hint = self.decoder.run(&mut source, &mut target).map_err(|error| Fault::Damaged(error.to_string()))?;
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
