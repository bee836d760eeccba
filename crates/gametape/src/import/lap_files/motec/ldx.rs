//! Markers in `.ldx` files: `MarkerGroup Name="Beacons"` has a `Marker` with a time in microseconds for each crossing of the line.
//! MoTeC's programs read these element names only.

use crate::import::lap_files::xml::{Part, attribute, parts};

/// Latest marker, in microseconds.
const LATEST_US: f64 = 1e14;

/// Returns whether a file is of this kind.
pub(super) fn is_ldx(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    parts(&text).0.iter().any(|part| matches!(part, Part::Open { name: "LDXFile", .. }))
}

/// Returns the times of the markers in nanoseconds, in order.
pub(in crate::import) fn markers(bytes: &[u8]) -> Vec<u64> {
    let text = String::from_utf8_lossy(bytes);
    let (mut path, mut found) = (Vec::new(), Vec::new());
    for part in parts(&text).0 {
        match part {
            Part::Open { name: "Marker", attributes, is_empty } => {
                let is_beacon = path == ["LDXFile", "Layers", "Layer", "MarkerBlock", "Beacons"];
                let time_us = attribute(attributes, "Time").and_then(|time| time.trim().parse::<f64>().ok());
                let time_us = time_us.filter(|time_us| is_beacon && (0.0..LATEST_US).contains(time_us));
                found.extend(time_us.map(|time_us| (time_us * 1e3).round() as u64));
                if !is_empty {
                    path.push("Marker");
                }
            }
            Part::Open { name: "MarkerGroup", attributes, is_empty: false } => {
                let is_beacons = attribute(attributes, "Name").as_deref() == Some("Beacons");
                path.push(if is_beacons { "Beacons" } else { "MarkerGroup" });
            }
            Part::Open { name, is_empty: false, .. } => path.push(name),
            Part::Close { .. } => drop(path.pop()),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(block: &str, marker: &str) -> String {
        format!(
            "<?xml version=\"1.0\"?>\n<LDXFile Version=\"1.6\"><Layers><Layer><{block}><MarkerGroup Name=\"Beacons\" Index=\"3\">\
             {marker}</MarkerGroup></{block}><RangeBlock/></Layer></Layers></LDXFile>"
        )
    }

    #[test]
    fn markers_are_times_in_microseconds() {
        let two = r#"<Marker ClassName="BCN" Time="1.76346e+08"/><Marker ClassName="BCN" Time="6.6817e+07"/>"#;
        assert_eq!(markers(file("MarkerBlock", two).as_bytes()), [66_817_000_000, 176_346_000_000]);
        assert_eq!(markers(file("Other", two).as_bytes()), [] as [u64; 0], "another element name");
        let odd = r#"<Marker Time="-1"/><Marker Time="x"/><Marker/><Marker Time="1e300"/>"#;
        assert_eq!(markers(file("MarkerBlock", odd).as_bytes()), [] as [u64; 0]);
        assert!(is_ldx(file("a", "").as_bytes()) && !is_ldx(b"<x/>") && markers(b"\xff<").is_empty());
    }
}
