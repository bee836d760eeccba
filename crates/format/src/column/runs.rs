//! Run-length coding for columns that rarely change: the length of each run and its value.
//!
//! ```text
//! bits: 10 runs - 1 | 4 width of lengths | 7 width of values | base in the column's own bits
//!       | per run: length - 1, value - base
//! ```

use super::ColumnError;
use super::bits::BitReader;
use super::word::Word;

/// Decodes into values; `bits` is the column's own width.
pub(crate) fn decode<W: Word>(bytes: &[u8], bits: u32, out: &mut [W]) -> Result<(), ColumnError> {
    let mut reader = BitReader::new(bytes);
    let runs = reader.read(10) + 1;
    let for_lengths = reader.read(4) as u32;
    let for_values = reader.read(7) as u32;
    if for_values > bits || for_lengths > 10 {
        return Err(ColumnError::Damaged { what: "widths of runs" });
    }
    let base = W::from_u64(reader.read_long(bits));
    let mut rest = out;
    for _ in 0..runs {
        let length = reader.read(for_lengths) as usize + 1;
        let value = base.add(W::from_u64(reader.read_long(for_values)));
        let (run, after) = rest.split_at_mut_checked(length).ok_or(ColumnError::Damaged { what: "lengths of runs" })?;
        run.fill(value);
        rest = after;
    }
    if !rest.is_empty() || !reader.is_done() {
        return Err(ColumnError::Damaged { what: "lengths of runs" });
    }
    Ok(())
}

/// The cost of run-length coding, with the widths needed to write it.
#[cfg(feature = "write")]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Runs<W> {
    runs: u32,
    for_lengths: u32,
    for_values: u32,
    base: W,
    /// Size in bits.
    pub(crate) bits: u32,
}

#[cfg(feature = "write")]
impl<W: Word> Runs<W> {
    /// Measures the runs; `None` if there are more than `most`.
    pub(crate) fn measure(values: &[W], bits: u32, most: usize) -> Option<Self> {
        let changes = values.windows(2).filter(|pair| pair[0] != pair[1]).count();
        if changes >= most || changes >= 1024 {
            return None;
        }
        let (mut lowest, mut highest, mut longest) = (*values.first()?, *values.first()?, 0);
        for run in values.chunk_by(|a, b| a == b) {
            lowest = lowest.min(run[0]);
            highest = highest.max(run[0]);
            longest = longest.max(run.len() as u32 - 1);
        }
        let runs = changes as u32 + 1;
        let (for_lengths, for_values) = (longest.bit_length(), highest.sub(lowest).bit_length());
        let size = 21 + bits + runs * (for_lengths + for_values);
        Some(Self { runs, for_lengths, for_values, base: lowest, bits: size })
    }

    pub(crate) fn write(&self, values: &[W], bits: u32, out: &mut Vec<u8>) {
        let mut writer = super::bits::BitWriter::new(out);
        writer.reserve(self.bits as usize);
        writer.write(self.runs - 1, 10);
        writer.write(self.for_lengths, 4);
        writer.write(self.for_values, 7);
        writer.write_long(self.base.to_u64(), bits);
        for run in values.chunk_by(|a, b| a == b) {
            writer.write(run.len() as u32 - 1, self.for_lengths);
            writer.write_long(run[0].sub(self.base).to_u64(), self.for_values);
        }
        writer.finish();
    }
}
