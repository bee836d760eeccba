//! Channels and frames through C are those that `gametape cat` prints.

use std::path::Path;

use gametape_format::ChannelType;
use gametape_format::read::Tape;

use crate::client::{acc_tape, gametape, golden, printed, words};

/// Rows of numbers: time, then values.
fn rows(csv: &[u8], has_title: bool) -> Vec<Vec<String>> {
    let text = std::str::from_utf8(csv).unwrap();
    let lines = text.lines().skip(usize::from(has_title));
    lines.map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// Compares every channel of a tape that is a number with what `gametape cat` prints; returns how many values were equal.
fn compare_with_cat(test: &str, tape: &Path) -> Option<usize> {
    let mut equal = 0;
    let opened = Tape::open(tape).unwrap();
    for stream in opened.streams().filter(|stream| !stream.spec().role.is_system()) {
        for channel in &stream.spec().channels {
            if matches!(channel.kind, ChannelType::Char | ChannelType::Char16) {
                continue;
            }
            let of_c = printed(test, &words(&["cat", tape.to_str()?, stream.name(), &channel.name]))?;
            let cat = ["cat", tape.to_str()?, "--stream", stream.name(), "--channels", &channel.name];
            let of_cat = rows(&gametape(test, &words(&cat))?, true);
            let of_c = rows(&of_c, false);
            assert_eq!(of_c.len(), of_cat.len(), "{} {}", stream.name(), channel.name);
            for (ours, theirs) in of_c.iter().zip(&of_cat) {
                assert_eq!((ours.len(), &ours[0]), (theirs.len(), &theirs[0]));
                for (ours, theirs) in ours.iter().zip(theirs).skip(1) {
                    let same = match channel.kind {
                        // `cat` prints the digits that identify the number among those of its own type.
                        ChannelType::F32 => {
                            let [ours, theirs] = [ours.parse::<f64>().unwrap() as f32, theirs.parse().unwrap()];
                            ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan())
                        }
                        _ => {
                            let number = |text: &str| match text {
                                "true" => 1.0,
                                "false" => 0.0,
                                text => text.parse::<f64>().unwrap(),
                            };
                            let [ours, theirs] = [ours, theirs].map(|text| number(text));
                            ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan())
                        }
                    };
                    assert!(same, "{} {}: {ours} {theirs}", stream.name(), channel.name);
                    equal += 1;
                }
            }
        }
    }
    Some(equal)
}

#[test]
fn values_are_those_that_cat_prints() {
    if let Some(equal) = compare_with_cat("c_values_are_those_that_cat_prints", &few_channels()) {
        assert!(equal > 1000, "{equal}");
    }
}

/// A tape with each type of channels; one process for each channel would take long for more.
fn few_channels() -> std::path::PathBuf {
    golden().join("closed-1.gtape")
}

#[test]
fn bits_are_those_of_the_frames() {
    let tape = golden().join("columns-1.gtape");
    let opened = Tape::open(&tape).unwrap();
    let stream = opened.stream_named("wide 13").unwrap();
    let mut compared = 0;
    // Every type once.
    let mut seen = Vec::new();
    for channel in &stream.spec().channels {
        if channel.kind == ChannelType::Bool || seen.contains(&channel.kind) {
            continue;
        }
        seen.push(channel.kind);
        let test = "c_bits_are_those_of_the_frames";
        let asked = ["raw", tape.to_str().unwrap(), "wide 13", &channel.name];
        let Some(of_c) = printed(test, &words(&asked)) else { return };
        let mut frames = opened.frames(stream);
        for row in rows(&of_c, false) {
            let frame = frames.next().unwrap().unwrap();
            let bytes = channel.kind.width() * channel.count as usize;
            let bits = &frame.data[channel.offset as usize..][..bytes];
            let hex: String = bits.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!((row[0].parse::<u64>().unwrap(), row[1..].concat()), (frame.time_ns, hex), "{}", channel.name);
            compared += 1;
        }
        assert!(frames.next().unwrap().is_none());
    }
    assert!(compared >= 13 * 5, "{compared} of {seen:?}");
}

#[test]
fn frames_are_those_that_cat_prints() {
    let test = "c_frames_are_those_that_cat_prints";
    for (tape, stream) in [(acc_tape(), "physics"), (golden().join("texts-1.gtape"), "json")] {
        let tape = tape.to_str().unwrap();
        let opened = Tape::open(tape).unwrap();
        let stream = opened.stream_named(stream).map_or_else(|_| opened.streams().next().unwrap().name(), |s| s.name());
        let Some(of_c) = printed(test, &words(&["frames", tape, stream])) else { return };
        let cat = ["cat", tape, "--stream", stream, "--format", "raw"];
        let Some(of_cat) = gametape(test, &words(&cat)) else { return };
        assert!(of_c == of_cat && !of_c.is_empty(), "{tape} {stream}: {} {}", of_c.len(), of_cat.len());
    }
}

#[test]
fn wrong_calls_are_errors() {
    let tape = acc_tape();
    if let Some(said) = printed("c_wrong_calls_are_errors", &words(&["check", tape.to_str().unwrap()])) {
        let checks: u32 = std::str::from_utf8(&said).unwrap().split(' ').next().unwrap().parse().unwrap();
        assert!(checks >= 110, "{checks}");
    }
}
