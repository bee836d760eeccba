//! The description of a stream on an open tape: the descriptor's bytes until somebody asks for a [`StreamSpec`].
//!
//! To give hundreds of channels texts of their own takes longer than all else when a tape is opened, and who reads one
//! channel never looks at them.

use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::cursor::Malformed;
use crate::descriptor::{ChannelPlace, Descriptor};
use crate::stream::StreamSpec;

/// A checked descriptor.
#[derive(Debug)]
pub(super) struct Described {
    /// Empty when `spec` has been made of it: texts are kept only once.
    descriptor: Mutex<Vec<u8>>,
    spec: OnceLock<StreamSpec>,
    /// Length of the descriptor.
    pub(super) bytes: usize,
    /// Number of channels.
    pub(super) channels: usize,
}

impl Described {
    /// Takes the unpacked descriptor of a stream, or says what is wrong with it. `look` is shown what it says.
    pub(super) fn new<T>(mut bytes: Vec<u8>, look: impl FnOnce(&Descriptor<'_>) -> T) -> Result<(Self, T), Malformed> {
        let (descriptor, length) = Descriptor::parse(&bytes)?;
        let (channels, seen) = (descriptor.channels.len(), look(&descriptor));
        // What stands behind the table is not kept: it could be anything, and much of it.
        bytes.truncate(length);
        bytes.shrink_to_fit();
        Ok((Self { descriptor: Mutex::new(bytes), spec: OnceLock::new(), bytes: length, channels }, seen))
    }

    pub(super) fn spec(&self) -> &StreamSpec {
        // The descriptor was checked when it was taken in.
        self.spec.get_or_init(|| StreamSpec::parse(&std::mem::take(&mut *self.descriptor())).unwrap_or_default())
    }

    /// Where a channel is, by name.
    pub(super) fn channel(&self, name: &str) -> Option<ChannelPlace> {
        let descriptor = self.descriptor();
        if !descriptor.is_empty() {
            return Descriptor::find_channel(&descriptor, name);
        }
        drop(descriptor);
        self.spec().channel(name).map(ChannelPlace::of)
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
        assert_eq!(described.descriptor().capacity(), length, "what stands behind the table is let go");
        let find = || ["late", "früh", "lat", ""].map(|name| described.channel(name).map(|place| place.offset));
        assert_eq!(find(), [Some(8), Some(0), None, None]);
        assert_eq!(described.spec(), &spec);
        assert_eq!(described.descriptor().capacity(), 0, "texts are kept once");
        assert_eq!(find(), [Some(8), Some(0), None, None]);
    }
}
