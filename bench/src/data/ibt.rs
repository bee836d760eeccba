//! iRacing `.ibt` files: parses rows and the variable table.
//!
//! ```text
//! header: i32 tick rate @8, i32 variables @24, i32 table offset @28, i32 row bytes @36, i32 first row @52, i32 rows @140
//! variable (144 B): i32 type @0, i32 offset @4, i32 count @8, name[32] @16
//! ```

use anyhow::{Context, Result, ensure};

use super::bytes::{i32_at, text_at};
use super::{DataSet, Field, StreamShape, liveliest_float};

const VARIABLE_BYTES: usize = 144;

/// Returns the size of a variable type and whether it is a float.
fn kind(number: i32) -> Option<(usize, bool)> {
    match number {
        0 | 1 => Some((1, false)),
        2 | 3 => Some((4, false)),
        4 => Some((4, true)),
        5 => Some((8, true)),
        _ => None,
    }
}

fn size_at(data: &[u8], at: usize, what: &str) -> Result<usize> {
    usize::try_from(i32_at(data, at)).with_context(|| format!("not an .ibt file: {what} is negative"))
}

/// Parses the telemetry rows of an `.ibt` file; the session info string is ignored.
pub(crate) fn parse(name: &str, data: &[u8]) -> Result<DataSet> {
    ensure!(data.len() >= 144, "not an .ibt file: shorter than its header");
    let hz = size_at(data, 8, "tick rate")?;
    let variables = size_at(data, 24, "number of variables")?;
    let table = size_at(data, 28, "table offset")?;
    let row_bytes = size_at(data, 36, "row size")?;
    let start = size_at(data, 52, "first row")?;
    let rows = size_at(data, 140, "number of rows")?;
    let table = data.get(table..table.saturating_add(variables.saturating_mul(VARIABLE_BYTES)));
    let table = table.context("not an .ibt file: the variable table extends past the end of the file")?;
    ensure!(row_bytes > 0 && start < data.len() && hz > 0, "not an .ibt file: no rows");

    let mut fields = Vec::with_capacity(variables);
    for variable in table.chunks_exact(VARIABLE_BYTES) {
        let name = text_at(variable, 16, 32);
        let (width, float) = kind(i32_at(variable, 0)).with_context(|| format!("{name}: unknown type"))?;
        let (offset, count) = (size_at(variable, 4, "offset")?, size_at(variable, 8, "count")?);
        fields.push(Field::new(name, offset, width, float, count));
    }
    let stream = StreamShape { name: "telemetry".into(), row_bytes, fields: super::file::checked(fields, row_bytes)? };
    let rows = rows.min((data.len() - start) / row_bytes);
    let rows = data
        .get(start..start + rows * row_bytes)
        .context("not an .ibt file: the rows extend past the end of the file")?
        .to_vec();
    let speed = stream.fields.iter().find(|field| field.name == "Speed" && field.float && field.width == 4);
    let channel = speed.map(|field| field.offset).or_else(|| liveliest_float(&stream, &rows));
    let channel = channel.context("no 4-byte float among the variables")?;
    Ok(DataSet::of_one_stream(name, stream, channel, rows, hz as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made_up() -> Vec<u8> {
        let mut data = vec![0; 144];
        let mut put = |at: usize, value: i32| data[at..at + 4].copy_from_slice(&value.to_le_bytes());
        for (at, value) in [(8, 60), (24, 2), (28, 144), (36, 5), (52, 144 + 288), (140, 3)] {
            put(at, value);
        }
        for (kind, offset, name) in [(1, 0, "OnTrack"), (4, 1, "Speed")] {
            let mut variable = [0u8; VARIABLE_BYTES];
            variable[0] = kind;
            variable[4] = offset;
            variable[8] = 1;
            variable[16..16 + name.len()].copy_from_slice(name.as_bytes());
            data.extend(variable);
        }
        for value in [1.5f32, 2.5, 3.5] {
            data.push(1);
            data.extend(value.to_le_bytes());
        }
        data
    }

    #[test]
    fn rows_and_variables_of_a_made_up_file() {
        let set = parse("x.ibt", &made_up()).unwrap();
        assert_eq!(set.shape.streams[0].fields[1], Field::new("Speed", 1, 4, true, 1));
        assert_eq!(set.channel_values(), [1.5, 2.5, 3.5]);
        assert_eq!(set.frames[0].times_ns, [0, 16_666_666, 33_333_333]);
    }

    #[test]
    fn a_file_that_is_no_ibt_is_an_error() {
        assert!(parse("x", b"nothing").is_err());
        assert!(parse("x", &[0xFF; 400]).is_err());
    }
}
