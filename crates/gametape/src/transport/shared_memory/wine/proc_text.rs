//! Parses lines and links of `/proc` that refer to unlinked files. No I/O.
//!
//! ```text
//! maps   7f2e40000000-7f2e40001000 rw-s 00000000 00:1a 123456    /tmp/.wine-1000/server-2b-1c/tmpmap-0a1b (deleted)
//! link   /tmp/.wine-1000/server-2b-1c/tmpmap-0a1b (deleted)      or      /memfd:wine-mapping (deleted)
//! ```
//! Device numbers are ignored: some file systems report different ones in `maps` than elsewhere.

/// The suffix that the kernel appends to the path of an unlinked file.
const DELETED: &[u8] = b" (deleted)";
/// Address of the shared clock page (`KUSER_SHARED_DATA`), which Wine maps into every process.
const CLOCK_PAGE: u64 = 0x7FFE_0000;

/// An unlinked file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Nameless {
    /// Its inode number.
    pub(super) inode: u64,
    /// Its former path, as reported by the kernel.
    pub(super) path: Vec<u8>,
}

/// Returns whether a link of `/proc/PID/fd` leads to an unlinked file.
pub(super) fn is_nameless(link: &[u8]) -> bool {
    link.starts_with(b"/") && link.ends_with(DELETED)
}

/// Parses a line of `/proc/PID/maps`. Returns its file if it is unlinked and mapped as shared.
pub(super) fn mapped(line: &[u8]) -> Option<Nameless> {
    let (range, rest) = word(line)?;
    let (rights, rest) = word(rest)?;
    let (_offset, rest) = word(rest)?;
    let (_device, rest) = word(rest)?;
    let (inode, path) = word(rest)?;
    let start = range.split(|byte| *byte == b'-').next()?;
    if rights.get(3) != Some(&b's') || !is_nameless(path) || number(start, 16)? == CLOCK_PAGE {
        return None;
    }
    Some(Nameless { inode: number(inode, 10)?, path: path.to_vec() })
}

/// Splits off the first word and the spaces after it.
fn word(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = line.iter().position(|byte| *byte == b' ')?;
    let (word, rest) = line.split_at_checked(end)?;
    let next = rest.iter().position(|byte| *byte != b' ')?;
    Some((word, rest.get(next..)?))
}

fn number(text: &[u8], radix: u32) -> Option<u64> {
    u64::from_str_radix(std::str::from_utf8(text).ok()?, radix).ok()
}

/// Parses the bytes as lines of `maps` and as links. For fuzz targets and mutation tests only.
#[doc(hidden)]
pub fn fuzz_proc_texts(data: &[u8]) {
    for line in data.split(|byte| *byte == b'\n') {
        if let Some(file) = mapped(line) {
            assert!(is_nameless(&file.path));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_files_without_a_name_are_told_from_all_else() {
        let told = |line: &str| mapped(line.as_bytes()).map(|file| (file.inode, String::from_utf8(file.path).unwrap()));
        let wine =
            "7f2e40000000-7f2e40001000 rw-s 00000000 00:1a 123456                     /tmp/a b/tmpmap-0a1b (deleted)";
        assert_eq!(told(wine), Some((123_456, "/tmp/a b/tmpmap-0a1b (deleted)".into())));
        let memfd = "00330000-00340000 r--s 00010000 00:01 77 /memfd:wine-mapping (deleted)";
        assert_eq!(told(memfd), Some((77, "/memfd:wine-mapping (deleted)".into())));
        for other in [
            "7f2e40000000-7f2e40001000 rw-p 00000000 00:1a 123456 /tmp/tmpmap-0a1b (deleted)",
            "7f2e40000000-7f2e40001000 rw-s 00000000 00:1a 123456 /dev/shm/acpmf_physics",
            "7ffe0000-7ffe1000 r--s 00000000 00:1a 5 /tmp/tmpmap-clock (deleted)",
            "7f2e40000000-7f2e40001000 rw-s 00000000 00:1a x /tmp/tmpmap-0a1b (deleted)",
            "7f2e40000000-7f2e40001000 rw-p 00000000 00:00 0 ",
            "7f2e40000000-7f2e40001000 rw-p 00000000 00:00 0                          [heap]",
            "",
            " ",
            "a b c d e",
        ] {
            assert_eq!(told(other), None, "{other}");
        }
    }

    #[test]
    fn links_to_what_has_a_name_or_is_no_file_do_not_count() {
        assert!(is_nameless(b"/memfd:x (deleted)") && is_nameless(b"/tmp/tmpmap-1 (deleted)"));
        for other in [&b"/tmp/tmpmap-1"[..], b"socket:[12]", b"anon_inode:[eventpoll] (deleted)", b"", b" (deleted)"] {
            assert!(!is_nameless(other));
        }
    }
}
