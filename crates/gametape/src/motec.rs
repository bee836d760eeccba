//! The layout of MoTeC `.ld` files: one definition for the importer and the exporter. All numbers are little-endian, all pointers are
//! absolute. Says where things are; reads and writes nothing.
//!
//! ```text
//! header ──▶ event ──▶ venue ──▶ vehicle      names of driver, car, track
//!   └──▶ channel record ⇄ channel record …    name, unit, rate, type, scaling
//!             └──▶ samples                     one array for each channel
//! ```
//! A value is `(raw / scale × 10^-decimals + shift) × multiplier`.

/// The header. Ranges are texts that end at a NUL.
pub(crate) mod head {
    use std::ops::Range;

    /// Length of the header.
    pub(crate) const BYTES: usize = 1762;
    /// u32: always [`MARKER_VALUE`].
    pub(crate) const MARKER: usize = 0;
    /// The first number of a file.
    pub(crate) const MARKER_VALUE: u32 = 0x40;
    /// u32: pointer to the first channel record.
    pub(crate) const FIRST_CHANNEL: usize = 8;
    /// u32: pointer to the first sample.
    pub(crate) const FIRST_SAMPLE: usize = 12;
    /// u32: pointer to the event block, or 0.
    pub(crate) const EVENT: usize = 36;
    /// u32: always [`TIME_BASE_VALUE`].
    pub(crate) const TIME_BASE: usize = 66;
    /// Found in all files at [`TIME_BASE`].
    pub(crate) const TIME_BASE_VALUE: u32 = 1_000_000;
    /// u32: serial number of the logger.
    pub(crate) const SERIAL: usize = 70;
    /// Kind of logger.
    pub(crate) const DEVICE: Range<usize> = 74..82;
    /// u16: version of the logger.
    pub(crate) const DEVICE_VERSION: usize = 82;
    /// u16: 0x80 in MoTeC's sample.
    pub(crate) const DEVICE_FLAGS: usize = 84;
    /// u32: number of channels.
    pub(crate) const CHANNELS: usize = 86;
    /// `dd/mm/yyyy`
    pub(crate) const DATE: Range<usize> = 94..110;
    /// `HH:MM:SS`
    pub(crate) const TIME: Range<usize> = 126..142;
    /// Driver.
    pub(crate) const DRIVER: Range<usize> = 158..222;
    /// Vehicle.
    pub(crate) const VEHICLE: Range<usize> = 222..286;
    /// Venue: the track.
    pub(crate) const VENUE: Range<usize> = 350..414;
    /// u32: i2 Pro opens only files with [`PRO_VALUE`] or a similar number here.
    pub(crate) const PRO: usize = 1502;
    /// The number in MoTeC's sample.
    pub(crate) const PRO_VALUE: u32 = 0x00D2_0822;
    /// Session.
    pub(crate) const SESSION: Range<usize> = 1508..1572;
    /// Short comment.
    pub(crate) const COMMENT: Range<usize> = 1572..1636;
}

/// The event block.
pub(crate) mod event {
    use std::ops::Range;

    /// Length of the block.
    pub(crate) const BYTES: usize = 1154;
    /// Name.
    pub(crate) const NAME: Range<usize> = 0..64;
    /// Session.
    pub(crate) const SESSION: Range<usize> = 64..128;
    /// Comment.
    pub(crate) const COMMENT: Range<usize> = 128..1152;
    /// u16: pointer to the venue block, which is thus in the first 64 KiB, or 0.
    pub(crate) const VENUE: usize = 1152;
}

/// The venue block.
pub(crate) mod venue {
    use std::ops::Range;

    /// Length of the block.
    pub(crate) const BYTES: usize = 1100;
    /// Name.
    pub(crate) const NAME: Range<usize> = 0..64;
    /// u16: pointer to the vehicle block, or 0.
    pub(crate) const VEHICLE: usize = 1098;
}

/// The vehicle block.
pub(crate) mod vehicle {
    use std::ops::Range;

    /// Length of the block.
    pub(crate) const BYTES: usize = 260;
    /// Id.
    pub(crate) const ID: Range<usize> = 0..64;
}

/// A channel record.
pub(crate) mod channel {
    use std::ops::Range;

    /// Length of a record.
    pub(crate) const BYTES: usize = 124;
    /// u32: pointer to the record before, or 0.
    pub(crate) const PREVIOUS: usize = 0;
    /// u32: pointer to the next record, or 0.
    pub(crate) const NEXT: usize = 4;
    /// u32: pointer to the samples.
    pub(crate) const SAMPLES: usize = 8;
    /// u32: number of samples.
    pub(crate) const COUNT: usize = 12;
    /// u16: any number of its own.
    pub(crate) const ID: usize = 16;
    /// u16: family of types.
    pub(crate) const FAMILY: usize = 18;
    /// A family of signed integers; 0, 5 and 6 are others.
    pub(crate) const INTEGER: u16 = 3;
    /// The family of floats of 2 and 4 bytes.
    pub(crate) const FLOAT: u16 = 7;
    /// u16: bytes per sample.
    pub(crate) const SIZE: usize = 20;
    /// u16: rate in Hz.
    pub(crate) const HZ: usize = 22;
    /// i16: shift.
    pub(crate) const SHIFT: usize = 24;
    /// i16: multiplier.
    pub(crate) const MULTIPLIER: usize = 26;
    /// i16: scale.
    pub(crate) const SCALE: usize = 28;
    /// i16: decimal places: scales the value, and is how many digits are shown.
    pub(crate) const DECIMALS: usize = 30;
    /// Name.
    pub(crate) const NAME: Range<usize> = 32..64;
    /// Short name.
    pub(crate) const SHORT_NAME: Range<usize> = 64..72;
    /// Unit.
    pub(crate) const UNIT: Range<usize> = 72..84;
}
