//! Tables of consecutive fields without padding: offsets follow from the order.
use crate::layout::{Channel, Kind, Layout, LayoutError};

/// A part of a frame.
#[derive(Debug, Clone, Copy)]
pub(super) enum Item {
    /// `count` values under one name.
    Values { name: &'static str, kind: Kind, count: u32, unit: &'static str },
    /// A struct, repeated `count` times. Its fields are named `name[0].field`, or `name.field` if there is only one.
    Group { name: &'static str, count: u32, items: &'static [Item] },
    /// Unnamed bytes, whose meaning depends on other fields.
    Skip { bytes: u32 },
}

pub(super) const fn value(name: &'static str, kind: Kind, unit: &'static str) -> Item {
    Item::Values { name, kind, count: 1, unit }
}

pub(super) const fn array(name: &'static str, kind: Kind, count: u32, unit: &'static str) -> Item {
    Item::Values { name, kind, count, unit }
}

pub(super) const fn group(name: &'static str, count: u32, items: &'static [Item]) -> Item {
    Item::Group { name, count, items }
}

pub(super) const fn skip(bytes: u32) -> Item {
    Item::Skip { bytes }
}

/// Builds the layout of frames that consist of these parts.
pub(super) fn layout(id: String, parts: &[&[Item]]) -> Result<Layout, LayoutError> {
    let mut channels = Vec::new();
    let mut at = 0;
    parts.iter().for_each(|items| place("", items, &mut at, &mut channels));
    Layout::new(id, at, channels)
}

fn place(prefix: &str, items: &[Item], at: &mut u32, channels: &mut Vec<Channel>) {
    for item in items {
        match *item {
            Item::Values { name, kind, count, unit } => {
                let name = format!("{prefix}{name}").into();
                channels.push(Channel { name, offset: *at, kind, count, unit: unit.into() });
                *at += count * kind.bytes();
            }
            Item::Group { name, count: 1, items } => place(&format!("{prefix}{name}."), items, at, channels),
            Item::Group { name, count, items } => {
                (0..count).for_each(|index| place(&format!("{prefix}{name}[{index}]."), items, at, channels));
            }
            Item::Skip { bytes } => *at += bytes,
        }
    }
}
