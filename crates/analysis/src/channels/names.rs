//! Finds channels by the names that users write.
//!
//! ```text
//! speedKmh    tyreWear[2]    tyreWear.2    physics/speedKmh    physics/tyreWear[2]
//! ```
//! An exact match wins. Otherwise case is ignored, if only one channel matches then. The command line and the HTTP API share this
//! resolver, so that a name means the same in both.

use gametape_format::Channel;
use gametape_format::read::TapeStream;

/// Maximum number of suggestions in an error message.
const MOST_SUGGESTIONS: usize = 5;
/// Maximum number of characters compared for suggestions.
const LONGEST_COMPARED: usize = 64;

/// A channel, or one element of an array.
#[derive(Debug, Clone, Copy)]
pub struct FoundChannel<'a> {
    /// The stream that has the channel.
    pub stream: &'a TapeStream,
    /// The channel.
    pub channel: &'a Channel,
    /// The element, if the name asks for one.
    pub element: Option<u32>,
}

impl FoundChannel<'_> {
    /// Returns the name inside its stream: `tyreWear[2]`.
    #[must_use]
    pub fn name(&self) -> String {
        match self.element {
            Some(element) => format!("{}[{element}]", self.channel.name),
            None => self.channel.name.clone(),
        }
    }

    /// Returns the name with its stream: `physics/tyreWear[2]`.
    #[must_use]
    pub fn qualified_name(&self) -> String {
        format!("{}/{}", self.stream.name(), self.name())
    }

    fn is_same(&self, other: &Self) -> bool {
        let of = |found: &Self| (found.stream.id(), found.channel.offset, found.channel.count, found.element);
        of(self) == of(other) && self.channel.name == other.channel.name
    }
}

/// Why a name does not identify a channel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChannelNameError {
    /// No stream has such a channel.
    #[error("there is no channel {name:?}{}", hint(like))]
    Unknown {
        /// The name as it was written.
        name: String,
        /// Similar channel names.
        like: Vec<String>,
    },
    /// Several channels match.
    #[error("channel {name:?} is ambiguous: it can be {}; use one of these names", candidates.join(", "))]
    Ambiguous {
        /// The name as it was written.
        name: String,
        /// The channels that match, with their streams.
        candidates: Vec<String>,
    },
    /// The array has fewer elements.
    #[error("channel {name:?} has {count} elements: the last one is {name}[{}]", count.saturating_sub(1))]
    NoSuchElement {
        /// The array.
        name: String,
        /// Its number of elements.
        count: u32,
    },
    /// The channels exist, but no stream has them all.
    #[error("these channels are in different streams: {}", names.join(", "))]
    DifferentStreams {
        /// The channels, with their streams.
        names: Vec<String>,
    },
}

fn hint(like: &[String]) -> String {
    match like.is_empty() {
        true => "; `gametape info --channels` lists the channels of a tape".to_owned(),
        false => format!("; did you mean {}?", like.join(" or ")),
    }
}

/// Finds the channel with this name in some streams.
///
/// # Errors
/// If no channel or more than one channel has the name, or if an array has no such element.
pub fn find_channel<'a>(streams: &[&'a TapeStream], name: &str) -> Result<FoundChannel<'a>, ChannelNameError> {
    find(streams, name).map(|(found, _)| found)
}

/// Finds the one stream that has all these channels, and the channels in it. A stream with more exact matches wins.
///
/// # Errors
/// If a name matches no channel, if no stream has them all, or if several streams do.
pub fn find_in_one_stream<'a>(
    streams: &[&'a TapeStream],
    names: &[String],
) -> Result<(&'a TapeStream, Vec<FoundChannel<'a>>), ChannelNameError> {
    let mut best: Vec<(usize, &'a TapeStream, Vec<FoundChannel<'a>>)> = Vec::new();
    for stream in streams {
        let found: Result<Vec<_>, _> = names.iter().map(|name| find(&[*stream], name)).collect();
        let Ok(found) = found else { continue };
        let inexact = found.iter().filter(|(_, exact)| !exact).count();
        best.retain(|(other, ..)| *other <= inexact);
        if best.iter().all(|(other, ..)| *other >= inexact) {
            best.push((inexact, *stream, found.into_iter().map(|(found, _)| found).collect()));
        }
    }
    match best.len() {
        0 => Err(no_common_stream(streams, names)),
        1 => best.pop().map(|(_, stream, found)| (stream, found)).ok_or_else(|| no_common_stream(streams, names)),
        _ => {
            let first = |found: &[FoundChannel<'_>]| found.first().map(FoundChannel::qualified_name);
            let candidates = best.iter().filter_map(|(.., found)| first(found)).collect();
            Err(ChannelNameError::Ambiguous { name: names.first().cloned().unwrap_or_default(), candidates })
        }
    }
}

/// Returns why no stream has all channels.
fn no_common_stream(streams: &[&TapeStream], names: &[String]) -> ChannelNameError {
    let mut qualified = Vec::new();
    for name in names {
        match find(streams, name) {
            Ok((found, _)) => qualified.push(found.qualified_name()),
            // It does not matter here which of several streams it is in.
            Err(ChannelNameError::Ambiguous { candidates, .. }) => qualified.push(candidates.join(" or ")),
            Err(error) => return error,
        }
    }
    ChannelNameError::DifferentStreams { names: qualified }
}

/// Finds a channel. Also returns whether the name matched exactly.
fn find<'a>(streams: &[&'a TapeStream], name: &str) -> Result<(FoundChannel<'a>, bool), ChannelNameError> {
    let mut too_far = None;
    for exact in [true, false] {
        let same = |a: &str, b: &str| if exact { a == b } else { a.to_lowercase() == b.to_lowercase() };
        let mut found: Vec<FoundChannel<'a>> = Vec::new();
        for stream in streams {
            for rest in forms(stream.name(), name, &same) {
                let matching = stream.spec().channels.iter().filter_map(|channel| {
                    let element = match same(&channel.name, rest) {
                        true => None,
                        false => Some(element_of(rest).filter(|(array, _)| same(array, &channel.name))?.1),
                    };
                    Some(FoundChannel { stream, channel, element })
                });
                for one in matching {
                    match one.element.is_some_and(|element| element >= one.channel.count) {
                        true => too_far = Some(one),
                        false if found.iter().any(|other| other.is_same(&one)) => {}
                        false => found.push(one),
                    }
                }
            }
        }
        // A channel with brackets in its name is not an element of another one.
        if found.iter().any(|one| one.element.is_none()) {
            found.retain(|one| one.element.is_none());
        }
        match found.as_slice() {
            [] => {}
            [only] => return Ok((*only, exact)),
            several => {
                let candidates = several.iter().map(FoundChannel::qualified_name).collect();
                return Err(ChannelNameError::Ambiguous { name: name.to_owned(), candidates });
            }
        }
    }
    if let Some(FoundChannel { channel, .. }) = too_far {
        return Err(ChannelNameError::NoSuchElement { name: channel.name.clone(), count: channel.count });
    }
    Err(ChannelNameError::Unknown { name: name.to_owned(), like: similar(streams, name) })
}

/// Returns the name itself, and the name after `STREAM/`.
fn forms<'n>(stream: &str, name: &'n str, same: &dyn Fn(&str, &str) -> bool) -> Vec<&'n str> {
    let slashes = name.match_indices('/').map(|(place, _)| name.split_at(place));
    let behind = slashes.filter(|(before, _)| same(before, stream)).filter_map(|(_, rest)| rest.strip_prefix('/'));
    std::iter::once(name).chain(behind).collect()
}

/// Splits `tyreWear[2]` and `tyreWear.2` into array and element.
fn element_of(name: &str) -> Option<(&str, u32)> {
    let brackets = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    let (array, element) = brackets.or_else(|| name.rsplit_once('.'))?;
    element.parse().ok().map(|element| (array, element))
}

/// Returns similar channel names, nearest first: one contains the other, or few characters differ.
fn similar(streams: &[&TapeStream], name: &str) -> Vec<String> {
    let plain = name.rsplit_once('/').map_or(name, |(_, plain)| plain);
    let wanted = element_of(plain).map_or(plain, |(array, _)| array).to_lowercase();
    let mut near: Vec<(usize, &str)> = Vec::new();
    for channel in streams.iter().flat_map(|stream| &stream.spec().channels) {
        let known = channel.name.to_lowercase();
        let distance = distance(&known, &wanted);
        let holds = wanted.chars().count() > 1 && (known.contains(&wanted) || wanted.contains(&known));
        let is_near = holds || distance <= (wanted.chars().count() / 3).max(1);
        if is_near && !near.iter().any(|(_, other)| *other == channel.name) {
            near.push((distance, &channel.name));
        }
    }
    near.sort_by_key(|(distance, _)| *distance);
    near.into_iter().take(MOST_SUGGESTIONS).map(|(_, name)| name.to_owned()).collect()
}

/// Returns the Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let [a, b] = [a, b].map(|text| text.chars().take(LONGEST_COMPARED).collect::<Vec<_>>());
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (number, left) in a.iter().enumerate() {
        let mut diagonal = number;
        let mut before = number + 1;
        if let Some(first) = row.first_mut() {
            *first = before;
        }
        for (right, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let cost = diagonal + usize::from(left != right);
            diagonal = *cell;
            before = cost.min(diagonal + 1).min(before + 1);
            *cell = before;
        }
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use gametape_format::read::Tape;
    use gametape_format::write::{StdFiles, TapeBuilder, WriteOptions};
    use gametape_format::{ChannelType, StreamSpec, TapeId};

    use super::*;

    fn tape() -> (tempfile::TempDir, Tape) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gtape");
        let options = WriteOptions::new(TapeId([7; 16]));
        let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &options, false).unwrap();
        let channel = |name: &str, place: u32, count: u32| Channel::new(name, ChannelType::U8, place, count, "");
        let physics = vec![
            channel("speedKmh", 0, 1),
            channel("tyreWear", 1, 4),
            channel("gas", 5, 1),
            channel("Fuel", 6, 1),
            channel("fuel", 7, 1),
            channel("id", 8, 1),
            channel("odd[1]", 9, 1),
            channel("odd", 10, 2),
        ];
        let graphics = vec![channel("gas", 0, 1), channel("lap", 1, 1), channel("FUEL", 2, 1), channel("ID", 3, 1)];
        tape.add_stream(StreamSpec::columns("physics", 12, physics), 0).unwrap();
        tape.add_stream(StreamSpec::columns("graphics", 4, graphics), 0).unwrap();
        tape.finish().unwrap();
        let tape = Tape::open(&path).unwrap();
        (folder, tape)
    }

    #[test]
    fn exact_names_win_and_case_does_not_matter_if_one_channel_is_left() {
        let (_folder, tape) = tape();
        let streams: Vec<_> = tape.streams().filter(|stream| !stream.spec().role.is_system()).collect();
        let found = |name: &str| find_channel(&streams, name).map(|found| found.qualified_name());
        for (name, expected) in [
            ("speedKmh", "physics/speedKmh"),
            ("SPEEDKMH", "physics/speedKmh"),
            ("tyrewear[3]", "physics/tyreWear[3]"),
            ("tyreWear.3", "physics/tyreWear[3]"),
            ("physics/gas", "physics/gas"),
            ("Graphics/Gas", "graphics/gas"),
            ("Fuel", "physics/Fuel"),
            ("FUEL", "graphics/FUEL"),
            ("id", "physics/id"),
            ("odd[1]", "physics/odd[1]"),
        ] {
            assert_eq!(found(name).as_deref(), Ok(expected), "{name}");
        }
        assert_eq!(find_channel(&streams, "odd[1]").unwrap().element, None, "the channel that has this very name");
        assert_eq!(find_channel(&streams, "odd[0]").unwrap().element, Some(0));
    }

    #[test]
    fn what_is_not_clear_is_an_error_that_names_the_choices() {
        let (_folder, tape) = tape();
        let streams: Vec<_> = tape.streams().filter(|stream| !stream.spec().role.is_system()).collect();
        let error = |name: &str| find_channel(&streams, name).unwrap_err().to_string();
        let two = error("gas");
        assert!(two.contains("physics/gas, graphics/gas"), "{two}");
        let case = error("fUEL");
        assert!(case.contains("physics/Fuel, physics/fuel, graphics/FUEL"), "{case}");
        assert!(error("speadKmh").contains("did you mean speedKmh?"), "{}", error("speadKmh"));
        assert!(error("speed").contains("did you mean speedKmh?"));
        assert!(error("physics/tyrWear[1]").contains("did you mean tyreWear?"), "{}", error("physics/tyrWear[1]"));
        assert!(error("tyreWear[4]").contains("4 elements: the last one is tyreWear[3]"));
        assert!(error("zzzzzz").contains("gametape info --channels"));
        assert!(matches!(find_channel(&streams, ""), Err(ChannelNameError::Unknown { .. })));
    }

    #[test]
    fn one_stream_is_found_by_all_its_channels_together() {
        let (_folder, tape) = tape();
        let streams: Vec<_> = tape.streams().filter(|stream| !stream.spec().role.is_system()).collect();
        let find = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            find_in_one_stream(&streams, &names).map(|(stream, _)| stream.name().to_owned())
        };
        assert_eq!(find(&["gas", "lap"]).as_deref(), Ok("graphics"));
        assert_eq!(find(&["gas", "speedkmh"]).as_deref(), Ok("physics"));
        assert_eq!(find(&["ID"]).as_deref(), Ok("graphics"), "the exact one");
        assert!(matches!(find(&["gas"]), Err(ChannelNameError::Ambiguous { .. })));
        let error = find(&["speedKmh", "lap"]).unwrap_err();
        assert!(error.to_string().contains("different streams: physics/speedKmh, graphics/lap"), "{error}");
        assert!(matches!(find(&["speedKmh", "nope"]), Err(ChannelNameError::Unknown { .. })));
    }

    #[test]
    fn distances_count_letters() {
        assert_eq!((distance("", "abc"), distance("gear", "gear"), distance("gaer", "gear")), (3, 0, 2));
        assert_eq!((distance("kitten", "sitting"), distance("brake", "break")), (3, 2));
    }
}
