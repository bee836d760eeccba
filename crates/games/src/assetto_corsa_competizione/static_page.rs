//! The static page, 820 or 756 bytes: car, track and driver. Its first 684 bytes are those of
//! [Assetto Corsa](ac::Static).
use std::ops::{Deref, DerefMut};

use zerocopy::{FromBytes, FromZeros as _, Immutable, IntoBytes, KnownLayout};

use super::GAME;
use crate::ac;
use crate::layout::Kind::{Char16, I32};
use crate::layout::{Channel, Layout, joined};
use crate::text::Utf16;
use crate::typed::{Frame, TypedStream};

/// Layout of the newest version.
pub static STATIC_820: Layout = Layout::from_table("acc-static-820", 820, CHANNELS);

/// Layout before `wetTyresName` was appended. Its last two bytes are padding.
pub static STATIC_756: Layout = Layout::from_table("acc-static-756", 756, CHANNELS.split_at(CHANNELS.len() - 1).0);

pub(crate) const CHANNELS: &[Channel] =
    &joined::<{ ac::STATIC_CHANNELS.len() + TAIL.len() }>(ac::STATIC_CHANNELS, TAIL);

const TAIL: &[Channel] = &[
    Channel::fixed("isOnline", 684, I32, 1, ""),
    Channel::fixed("dryTyresName", 688, Char16, 33, ""),
    Channel::fixed("wetTyresName", 754, Char16, 33, ""),
];

/// The page of the newest version. Dereferences to [`ac::Static`].
#[derive(Debug, Clone, Copy, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Static {
    /// The first 684 bytes.
    pub head: ac::Static,
    /// 1 in an online session.
    pub is_online: i32,
    /// Name of the dry tyres.
    pub dry_tyres_name: Utf16<33>,
    /// Name of the wet tyres.
    pub wet_tyres_name: Utf16<33>,
}

const _: () = assert!(size_of::<Static>() == 820);

impl Deref for Static {
    type Target = ac::Static;

    fn deref(&self) -> &ac::Static {
        &self.head
    }
}

impl DerefMut for Static {
    fn deref_mut(&mut self) -> &mut ac::Static {
        &mut self.head
    }
}

impl Default for Static {
    fn default() -> Self {
        Self::new_zeroed()
    }
}

impl Frame for Static {
    fn stream() -> TypedStream<Self> {
        TypedStream::new(&GAME, &super::STATIC)
    }
}
