//! The `.ldx` file beside a log: a marker at each crossing of the line, and the fastest lap. It has numbers only, no text of a tape.

use std::fmt::Write as _;

use super::lines::Lines;

const HEAD: &str = r#"<?xml version="1.0"?>
<LDXFile Locale="English_United States.1252" DefaultLocale="C" Version="1.6">
 <Layers>
  <Layer>
   <MarkerBlock>
    <MarkerGroup Name="Beacons" Index="0">
"#;

/// Returns the file of these crossings.
pub(super) fn ldx(lines: &Lines) -> String {
    let mut out = HEAD.to_owned();
    // Writing to a string cannot fail.
    for (number, at_ns) in lines.at_ns.iter().enumerate() {
        let micros = scientific(at_ns / 1000);
        let _ = writeln!(
            out,
            r#"     <Marker Version="100" ClassName="BCN" Name="{number}, id=99" Flags="13" Time="{micros}"/>"#
        );
    }
    out.push_str("    </MarkerGroup>\n   </MarkerBlock>\n   <RangeBlock/>\n  </Layer>\n  <Details>\n");
    let mut detail = |id: &str, value: String| writeln!(out, r#"   <String Id="{id}" Value="{value}"/>"#);
    let _ = detail("Total Laps", (lines.at_ns.len() + 1).to_string());
    if let Some((number, time_ms)) = lines.fastest() {
        let (minutes, seconds, ms) = (time_ms / 60_000, time_ms / 1000 % 60, time_ms % 1000);
        let _ = detail("Fastest Time", format!("{minutes}:{seconds:02}.{ms:03}"));
        let _ = detail("Fastest Lap", number.to_string());
    }
    out.push_str("  </Details>\n </Layers>\n</LDXFile>\n");
    out
}

/// Writes a number as the C library does with `%.17e`, which MoTeC's programs use.
fn scientific(value: u64) -> String {
    let digits = value.to_string();
    let (first, rest) = digits.split_at(1);
    format!("{first}.{rest:0<17}e+{:02}", rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_in_files_of_motec() {
        assert_eq!(scientific(66_817_000), "6.68170000000000000e+07");
        assert_eq!(scientific(1_046_950_000), "1.04695000000000000e+09");
        assert_eq!(scientific(0), "0.00000000000000000e+00");
    }
}
