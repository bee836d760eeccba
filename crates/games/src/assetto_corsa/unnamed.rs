//! Identifies the page in a section when the system does not reveal section names, by values that only that page can
//! hold.
//!
//! All pages of the family have the same section length. Their first bytes differ:
//!
//! ```text
//!           0          4        8         12                        42 …                132
//! physics   step       gas      brake     fuel, gear, rpm, speed …   floats
//! graphics  packet     status   session   text: times as UTF-16LE                       laps, times
//! static    text: versions as UTF-16LE, zero-padded                  sessions, cars, names
//! ```
//! A page that matches none of them, or two, is not identified: all zeros, or nothing but a packet number.
use super::family::is_zero;
use crate::bytes::{array_at, f32_at, i32_at};

/// Maximum page length in the family. Beyond it, sections keep the zeros that the system created them with.
const MOST_PAGE_BYTES: usize = 3072;

/// Text fields: offset and length in UTF-16 code units.
const GRAPHICS_TIMES: [(usize, usize); 4] = [(12, 15), (42, 15), (72, 15), (102, 15)];
const STATIC_VERSIONS: [(usize, usize); 2] = [(0, 15), (30, 15)];
const STATIC_NAMES: [(usize, usize); 2] = [(68, 33), (134, 33)];

/// Returns the stream whose page this is, if exactly one matches.
pub(crate) fn stream_of(page: &[u8]) -> Option<&'static str> {
    let looks = [("physics", is_physics(page)), ("graphics", is_graphics(page)), ("static", is_static(page))];
    let mut fitting = looks.iter().filter(|(_, fits)| *fits);
    match (fitting.next(), fitting.next()) {
        (Some((stream, _)), None) => Some(stream),
        _ => None,
    }
}

/// Matches a physics page: pedals, fuel, gear, engine speed and speed are plausible. Texts and counts at these offsets
/// would be subnormal floats.
pub(crate) fn is_physics(page: &[u8]) -> bool {
    let number = |at: usize, least: f32, most: f32| {
        let likely = |value: f32| (value == 0.0 || value.is_normal()) && (least..=most).contains(&value);
        f32_at(page, at).is_some_and(likely)
    };
    let vector = |at: usize| (0..3).all(|axis| f32_at(page, at + axis * 4).is_some_and(f32::is_finite));
    i32_at(page, 0).is_some_and(|step| step > 0)
        && number(4, -0.1, 1.1)
        && number(8, -0.1, 1.1)
        && number(12, -1.0, 2000.0)
        && count(page, 16, 20)
        && count(page, 20, 100_000)
        && number(24, -2000.0, 2000.0)
        && number(28, -1000.0, 2000.0)
        && vector(32)
        && vector(44)
        && !is_zero(page.get(12..32).unwrap_or_default())
        && ends_clean(page)
}

/// Matches a graphics page: status, and times as text.
fn is_graphics(page: &[u8]) -> bool {
    let texts = GRAPHICS_TIMES.map(|place| array(page, place));
    let plain = |unit: &[u8; 2]| *unit == [0, 0] || (unit[1] == 0 && (0x20..0x7F).contains(&unit[0]));
    let place = f32_at(page, 248).is_some_and(|place| (-2.0..=2.0).contains(&place));
    let is_filled = || {
        let status = i32_at(page, 4).is_some_and(|status| status != 0);
        status
            || texts.iter().any(|text| !is_zero(text))
            || i32_at(page, 252).is_some_and(|cars| (1..=1000).contains(&cars))
    };
    i32_at(page, 0).is_some_and(|number| number >= 0)
        && count(page, 4, 3)
        && i32_at(page, 8).is_some_and(|session| (-1..=20).contains(&session))
        && texts.iter().all(|text| text.as_chunks::<2>().0.iter().all(plain))
        && count(page, 132, 1_000_000)
        && count(page, 136, 10_000)
        && place
        && is_filled()
        && ends_clean(page)
}

/// Matches a static page: versions and names.
fn is_static(page: &[u8]) -> bool {
    let versions = STATIC_VERSIONS.map(|place| clean_text(array(page, place)));
    let version = |unit: &[u8; 2]| unit[1] == 0 && (unit[0].is_ascii_alphanumeric() || b".-_ ".contains(&unit[0]));
    versions.iter().all(|text| text.is_some_and(|text| text.as_chunks::<2>().0.iter().all(version)))
        && versions.iter().any(|text| text.is_some_and(|text| !text.is_empty()))
        && STATIC_NAMES.iter().all(|place| clean_text(array(page, *place)).is_some())
        && count(page, 60, 1000)
        && count(page, 64, 1000)
        && ends_clean(page)
}

fn count(page: &[u8], at: usize, most: i32) -> bool {
    i32_at(page, at).is_some_and(|value| (0..=most).contains(&value))
}

/// Returns whether the page is complete and all bytes past the longest page are zero.
fn ends_clean(page: &[u8]) -> bool {
    array_at::<4>(page, 564).is_some() && is_zero(page.get(MOST_PAGE_BYTES..).unwrap_or_default())
}

fn array(page: &[u8], (offset, units): (usize, usize)) -> &[u8] {
    page.get(offset..offset + units * 2).unwrap_or_default()
}

/// Returns the code units before the first NUL, if they are printable and only zeros follow.
fn clean_text(array: &[u8]) -> Option<&[u8]> {
    let used = array.as_chunks::<2>().0.iter().take_while(|unit| **unit != [0, 0]).count();
    let (text, rest) = array.split_at_checked(used * 2)?;
    let letter = |unit: &[u8; 2]| u16::from_le_bytes(*unit) >= 0x20;
    (is_zero(rest) && text.as_chunks::<2>().0.iter().all(letter)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Utf16;
    use crate::{ac, acc};
    use zerocopy::IntoBytes as _;

    fn section(page: &[u8]) -> Vec<u8> {
        let mut section = page.to_vec();
        section.resize(4096, 0);
        section
    }

    fn physics() -> acc::Physics {
        let mut page = acc::Physics::default();
        (page.packet_id, page.fuel, page.gear) = (4711, 61.5, 3);
        (page.rpms, page.speed_kmh) = (6100, 180.0);
        page
    }

    fn graphics() -> acc::Graphics {
        let mut page = acc::Graphics::default();
        (page.packet_id, page.status, page.session) = (90, 2, 2);
        page.current_time = Utf16::new("1:41:223");
        page
    }

    fn statics() -> ac::Static {
        let mut page = ac::Static::default();
        (page.sm_version, page.car_model) = (Utf16::new("1.7"), Utf16::new("ks_audi"));
        page
    }

    #[test]
    fn each_page_is_identified() {
        assert_eq!(stream_of(&section(physics().as_bytes())), Some("physics"));
        assert_eq!(stream_of(&section(graphics().as_bytes())), Some("graphics"));
        assert_eq!(stream_of(&section(statics().as_bytes())), Some("static"));
        // A stationary car with a step number that is also a letter.
        let mut parked = acc::Physics::default();
        (parked.packet_id, parked.fuel, parked.gear) = (0x41, 30.0, 1);
        assert_eq!(stream_of(&section(parked.as_bytes())), Some("physics"));
        let mut menus = graphics();
        (menus.packet_id, menus.status, menus.session) = (0x31, 0, 0);
        assert_eq!(stream_of(&section(menus.as_bytes())), Some("graphics"));
    }

    #[test]
    fn ambiguous_or_foreign_sections_are_not_identified() {
        let mut only_a_number = vec![0; 4096];
        assert_eq!(stream_of(&only_a_number), None);
        only_a_number[0] = 7;
        assert_eq!(stream_of(&only_a_number), None);
        // The shared user data page of Windows: a clock, and the system folder as text.
        let mut shared = vec![0; 4096];
        shared[4..8].copy_from_slice(&0x0FA0_0000_u32.to_le_bytes());
        shared[8..12].copy_from_slice(&0x1234_5678_u32.to_le_bytes());
        shared[12] = 2;
        shared[48..50].copy_from_slice(b"C\0");
        assert_eq!(stream_of(&shared), None);
        // Data up to the end of the section.
        let mut long = section(physics().as_bytes());
        long[4000] = 1;
        assert_eq!(stream_of(&long), None);
        assert_eq!(stream_of(&physics().as_bytes()[..100]), None);
        assert_eq!(stream_of(&[]), None);
    }

    #[test]
    fn implausible_values_are_not_a_physics_page() {
        let broken: [fn(&mut acc::Physics); 6] = [
            |page| page.packet_id = -1,
            |page| page.gas = 7.0,
            |page| page.fuel = f32::NAN,
            |page| page.gear = 300,
            |page| page.rpms = -5,
            |page| page.brake = f32::from_bits(0x003A_0031),
        ];
        for (index, spoil) in broken.iter().enumerate() {
            let mut page = physics();
            spoil(&mut page);
            assert_eq!(stream_of(&section(page.as_bytes())), None, "{index}");
        }
    }
}
