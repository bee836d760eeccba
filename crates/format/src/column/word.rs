//! The two integer sizes in which columns are computed: `u32` for widths 1, 2 and 4, `u64` for width 8.
//!
//! All arithmetic wraps. Computing an 8-bit or 16-bit column modulo 2³² and truncating afterwards gives the same result
//! as computing modulo its own size, so two sizes serve four widths.

use super::transform::is_tame;

/// An unsigned integer, paired with the float of the same size.
#[cfg_attr(not(feature = "write"), allow(dead_code))]
pub(crate) trait Word: Copy + Default + Eq + Ord {
    const BITS: u32;
    fn from_u64(value: u64) -> Self;
    fn to_u64(self) -> u64;
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    /// Maps −1, 1, −2 … to 1, 2, 3 …: small distances in both directions become small numbers.
    fn zigzag(self) -> Self;
    fn unzigzag(self) -> Self;
    /// Copies bit `BITS - 1 - unused` into the bits above it.
    fn sign_extend(self, unused: u32) -> Self;
    fn to_signed(self) -> i64;
    fn bit_length(self) -> u32;
    /// About 256 times the base-2 logarithm of the magnitude as a signed number; 0 for 0. Cheap, and good enough for comparisons.
    fn rough_log(self) -> u32;
    /// Maps float bits to integers that sort like the floats.
    fn to_ordered(self) -> Self;
    fn unordered(self) -> Self;
    /// The float with these bits.
    fn to_float(self) -> f64;
    /// The float with these bits as a reference value. Values that are not tame become NaN, whatever the host makes of them.
    #[inline(always)]
    fn to_reference(self) -> f64 {
        let value = self.to_float();
        if is_tame(value) && !self.is_denormal() { value } else { f64::NAN }
    }
    fn is_denormal(self) -> bool;
    /// The bits of the float nearest to `value`, ties to even.
    fn from_float(value: f64) -> Self;
    /// The bits of the float `self` (a signed integer) times `scale`.
    fn on_grid(self, scale: f64) -> Self;
    /// For float bits: the exponents of the highest and the lowest one bit; `None` for zero, `Err` for values that
    /// cannot lie on a grid.
    fn float_span(self) -> Result<Option<(i32, i32)>, ()>;
}

impl Word for u32 {
    const BITS: u32 = 32;
    #[inline(always)]
    fn from_u64(value: u64) -> Self {
        value as u32
    }
    #[inline(always)]
    fn to_u64(self) -> u64 {
        u64::from(self)
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    #[inline(always)]
    fn zigzag(self) -> Self {
        self << 1 ^ (self as i32 >> 31) as u32
    }
    #[inline(always)]
    fn unzigzag(self) -> Self {
        self >> 1 ^ (self & 1).wrapping_neg()
    }
    #[inline(always)]
    fn sign_extend(self, unused: u32) -> Self {
        (((self << (unused & 31)) as i32) >> (unused & 31)) as u32
    }
    #[inline(always)]
    fn to_signed(self) -> i64 {
        i64::from(self as i32)
    }
    #[inline(always)]
    fn bit_length(self) -> u32 {
        32 - self.leading_zeros()
    }
    #[inline(always)]
    fn rough_log(self) -> u32 {
        // The bits of a float are a logarithm with linear interpolation between powers of two.
        (((self as i32 as f32).abs() + 1.0).to_bits() - 1f32.to_bits()) >> 15
    }
    #[inline(always)]
    fn to_ordered(self) -> Self {
        self ^ ((self as i32 >> 31) as u32 | 1 << 31)
    }
    #[inline(always)]
    fn unordered(self) -> Self {
        self ^ (!(self as i32 >> 31) as u32 | 1 << 31)
    }
    #[inline(always)]
    fn to_float(self) -> f64 {
        f64::from(f32::from_bits(self))
    }
    #[inline(always)]
    fn is_denormal(self) -> bool {
        (1..1 << 23).contains(&(self & (u32::MAX >> 1)))
    }
    #[inline(always)]
    fn from_float(value: f64) -> Self {
        (value as f32).to_bits()
    }
    #[inline(always)]
    fn on_grid(self, scale: f64) -> Self {
        ((f64::from(self as i32) * scale) as f32).to_bits()
    }
    #[inline(always)]
    fn float_span(self) -> Result<Option<(i32, i32)>, ()> {
        let biased = (self >> 23 & 0xff) as i32;
        match biased {
            0 if self == 0 => Ok(None),
            0 | 0xff => Err(()),
            _ => {
                let mantissa = self & 0x7f_ffff | 0x80_0000;
                Ok(Some((biased - 127, biased - 150 + mantissa.trailing_zeros() as i32)))
            }
        }
    }
}

impl Word for u64 {
    const BITS: u32 = 64;
    #[inline(always)]
    fn from_u64(value: u64) -> Self {
        value
    }
    #[inline(always)]
    fn to_u64(self) -> u64 {
        self
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }
    #[inline(always)]
    fn zigzag(self) -> Self {
        self << 1 ^ (self as i64 >> 63) as u64
    }
    #[inline(always)]
    fn unzigzag(self) -> Self {
        self >> 1 ^ (self & 1).wrapping_neg()
    }
    #[inline(always)]
    fn sign_extend(self, unused: u32) -> Self {
        (((self << (unused & 63)) as i64) >> (unused & 63)) as u64
    }
    #[inline(always)]
    fn to_signed(self) -> i64 {
        self as i64
    }
    #[inline(always)]
    fn bit_length(self) -> u32 {
        64 - self.leading_zeros()
    }
    #[inline(always)]
    fn rough_log(self) -> u32 {
        (((self as i64 as f32).abs() + 1.0).to_bits() - 1f32.to_bits()) >> 15
    }
    #[inline(always)]
    fn to_ordered(self) -> Self {
        self ^ ((self as i64 >> 63) as u64 | 1 << 63)
    }
    #[inline(always)]
    fn unordered(self) -> Self {
        self ^ (!(self as i64 >> 63) as u64 | 1 << 63)
    }
    #[inline(always)]
    fn to_float(self) -> f64 {
        f64::from_bits(self)
    }
    #[inline(always)]
    fn is_denormal(self) -> bool {
        (1..1 << 52).contains(&(self & (u64::MAX >> 1)))
    }
    #[inline(always)]
    fn from_float(value: f64) -> Self {
        value.to_bits()
    }
    #[inline(always)]
    fn on_grid(self, scale: f64) -> Self {
        (self as i64 as f64 * scale).to_bits()
    }
    #[inline(always)]
    fn float_span(self) -> Result<Option<(i32, i32)>, ()> {
        let biased = (self >> 52 & 0x7ff) as i32;
        match biased {
            0 if self == 0 => Ok(None),
            0 | 0x7ff => Err(()),
            _ => {
                let mantissa = self & ((1 << 52) - 1) | 1 << 52;
                Ok(Some((biased - 1023, biased - 1075 + mantissa.trailing_zeros() as i32)))
            }
        }
    }
}
