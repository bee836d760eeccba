//! The descriptor of a stream of an open tape, kept as bytes until a [`StreamSpec`] is requested.
//!
//! Allocating the texts of hundreds of channels takes longer than everything else when a tape is opened, and a reader
//! of a single channel never uses them.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::cursor::Malformed;
use crate::descriptor::{ChannelLayout, Descriptor};
use crate::stream::StreamSpec;

/// A checked descriptor.
#[derive(Debug)]
pub(super) struct Described {
    /// Empty once `spec` has been created from it: texts are stored only once.
    descriptor: Mutex<Vec<u8>>,
    spec: OnceLock<StreamSpec>,
    /// Length of the descriptor.
    pub(super) bytes: usize,
    /// Number of channels.
    pub(super) channels: usize,
}

impl Described {
    /// Checks the unpacked descriptor of a stream. `look` is called with the parsed descriptor.
    pub(super) fn new<T>(mut bytes: Vec<u8>, look: impl FnOnce(&Descriptor<'_>) -> T) -> Result<(Self, T), Malformed> {
        let (descriptor, length) = Descriptor::parse(&bytes)?;
        let (channels, seen) = (descriptor.channels.len(), look(&descriptor));
        // Bytes after the table are discarded: there could be many of them, of any content.
        bytes.truncate(length);
        bytes.shrink_to_fit();
        Ok((Self { descriptor: Mutex::new(bytes), spec: OnceLock::new(), bytes: length, channels }, seen))
    }

    pub(super) fn spec(&self) -> &StreamSpec {
        // The descriptor was checked on creation.
        self.spec.get_or_init(|| StreamSpec::parse(&std::mem::take(&mut *self.descriptor())).unwrap_or_default())
    }

    /// Looks up a channel by name.
    pub(super) fn channel(&self, name: &str) -> Option<ChannelLayout> {
        let descriptor = self.descriptor();
        if !descriptor.is_empty() {
            return Descriptor::find_channel(&descriptor, name);
        }
        drop(descriptor);
        self.spec().channel(name).map(ChannelLayout::of)
    }

    fn descriptor(&self) -> MutexGuard<'_, Vec<u8>> {
        self.descriptor.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stream::{Channel, ChannelType};

    #[test]
    fn a_channel_is_found_before_and_after_the_texts_were_copied() {
        let channels =
            vec![Channel::new("late", ChannelType::F32, 8, 2, "m"), Channel::new("früh", ChannelType::U8, 0, 1, "")];
        let spec = StreamSpec::columns("car", 16, channels);
        let mut bytes = spec.to_bytes();
        let length = bytes.len();
        bytes.extend([1; 1000]);
        let (described, name) = Described::new(bytes, |descriptor| descriptor.name.to_vec()).unwrap();
        assert_eq!((name.as_slice(), described.bytes, described.channels), (b"car".as_slice(), length, 2));
        assert_eq!(described.descriptor().capacity(), length, "bytes after the table are discarded");
        let find = || ["late", "früh", "lat", ""].map(|name| described.channel(name).map(|place| place.offset));
        assert_eq!(find(), [Some(8), Some(0), None, None]);
        assert_eq!(described.spec(), &spec);
        assert_eq!(described.descriptor().capacity(), 0, "texts are stored once");
        assert_eq!(find(), [Some(8), Some(0), None, None]);
    }
}
