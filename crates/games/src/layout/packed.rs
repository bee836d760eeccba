//! Tables of consecutive fields without padding: offsets follow from the order. One table describes all versions of a struct: a field
//! that not all of them have names those that do.
use super::{Channel, Kind, Layout, LayoutError};

/// A part of a frame.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item {
    what: What,
    first_version: u16,
    last_version: u16,
}

#[derive(Debug, Clone, Copy)]
enum What {
    /// `count` values under one name.
    Values { name: &'static str, kind: Kind, count: u32, unit: &'static str },
    /// A struct, repeated `count` times. Its fields are named `name[0].field`, or `name.field` if there is only one.
    Group { name: &'static str, count: u32, items: &'static [Item] },
    /// Unnamed bytes, whose meaning depends on other fields.
    Skip { bytes: u32 },
}

impl Item {
    const fn new(what: What) -> Self {
        Self { what, first_version: 0, last_version: u16::MAX }
    }

    /// Only in this version and later ones.
    pub(crate) const fn since(self, version: u16) -> Self {
        Self { first_version: version, ..self }
    }

    /// Only in this version and earlier ones.
    pub(crate) const fn until(self, version: u16) -> Self {
        Self { last_version: version, ..self }
    }

    /// Only in this version.
    pub(crate) const fn only(self, version: u16) -> Self {
        self.since(version).until(version)
    }
}

/// One value.
pub(crate) const fn value(name: &'static str, kind: Kind, unit: &'static str) -> Item {
    array(name, kind, 1, unit)
}

/// Several values under one name.
pub(crate) const fn array(name: &'static str, kind: Kind, count: u32, unit: &'static str) -> Item {
    Item::new(What::Values { name, kind, count, unit })
}

/// A struct, repeated `count` times.
pub(crate) const fn group(name: &'static str, count: u32, items: &'static [Item]) -> Item {
    Item::new(What::Group { name, count, items })
}

/// Unnamed bytes.
pub(crate) const fn skip(bytes: u32) -> Item {
    Item::new(What::Skip { bytes })
}

/// Builds the layout of frames that consist of these parts, in this version.
pub(crate) fn layout(id: String, version: u16, parts: &[&[Item]]) -> Result<Layout, LayoutError> {
    let mut placed = Placed { version, end: 0, channels: Vec::new() };
    parts.iter().for_each(|items| placed.add("", items));
    Layout::new(id, placed.end, placed.channels)
}

/// The channels so far.
struct Placed {
    version: u16,
    end: u32,
    channels: Vec<Channel>,
}

impl Placed {
    fn add(&mut self, prefix: &str, items: &[Item]) {
        let version = self.version;
        for item in items.iter().filter(|item| (item.first_version..=item.last_version).contains(&version)) {
            match item.what {
                What::Values { name, kind, count, unit } => {
                    let name = format!("{prefix}{name}").into();
                    self.channels.push(Channel { name, offset: self.end, kind, count, unit: unit.into() });
                    self.end += count * kind.bytes();
                }
                What::Group { name, count: 1, items } => self.add(&format!("{prefix}{name}."), items),
                What::Group { name, count, items } => {
                    (0..count).for_each(|index| self.add(&format!("{prefix}{name}[{index}]."), items));
                }
                What::Skip { bytes } => self.end += bytes,
            }
        }
    }
}
