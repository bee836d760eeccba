//! Bones: reads translations and rotations from the bytes of `PlayerBones` according to a layout. The bytes are
//! borrowed; floats are read one by one, since the bytes may not be aligned.

use crate::proto::telemetry::v2::{CaptureHeader, PlayerBones, SkeletonLayout, capture_header};

/// The memory layout of bones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Skeleton {
    /// Number of bones.
    pub bone_count: usize,
    /// Bytes from one translation to the next.
    pub transform_stride: usize,
    /// Bytes from one rotation to the next.
    pub orientation_stride: usize,
}

/// The default of the schema.
pub const DEFAULT_SKELETON: Skeleton = Skeleton { bone_count: 22, transform_stride: 12, orientation_stride: 16 };
/// The layout that the engine actually uses.
pub const ENGINE_SKELETON: Skeleton = Skeleton { bone_count: 23, ..DEFAULT_SKELETON };

const TRANSFORM_BYTES: usize = 12;
const ORIENTATION_BYTES: usize = 16;

/// The reason why bones cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BonesError {
    /// The layout is invalid.
    #[error(
        "invalid bone layout: strides of {transform_stride} and {orientation_stride} bytes are less than 12 and 16"
    )]
    Layout {
        /// Bytes from one translation to the next.
        transform_stride: usize,
        /// Bytes from one rotation to the next.
        orientation_stride: usize,
    },
    /// The number of bytes does not match the layout.
    #[error("{bone_count} bones need {expected} bytes of {what}, but there are {actual}")]
    Length {
        /// `transforms` or `orientations`.
        what: &'static str,
        /// Number of bones in the layout.
        bone_count: usize,
        /// Expected number of bytes.
        expected: usize,
        /// Actual number of bytes.
        actual: usize,
    },
}

impl From<SkeletonLayout> for Skeleton {
    fn from(layout: SkeletonLayout) -> Self {
        let or = |value: u32, default: usize| match value {
            0 => default,
            value => usize::try_from(value).unwrap_or(usize::MAX),
        };
        Self {
            bone_count: or(layout.bone_count, DEFAULT_SKELETON.bone_count),
            transform_stride: or(layout.transform_stride, DEFAULT_SKELETON.transform_stride),
            orientation_stride: or(layout.orientation_stride, DEFAULT_SKELETON.orientation_stride),
        }
    }
}

impl From<Skeleton> for SkeletonLayout {
    fn from(skeleton: Skeleton) -> Self {
        let field = |value: usize| u32::try_from(value).unwrap_or(u32::MAX);
        Self {
            bone_count: field(skeleton.bone_count),
            transform_stride: field(skeleton.transform_stride),
            orientation_stride: field(skeleton.orientation_stride),
        }
    }
}

impl Skeleton {
    /// Returns the layout stated in a capture's header; `None` if there is none.
    pub fn of_header(header: &CaptureHeader) -> Option<Self> {
        match &header.game_header {
            Some(capture_header::GameHeader::EchoArena(arena)) => arena.skeleton.map(Self::from),
            _ => None,
        }
    }

    /// The size of all values with this stride: the last bone needs no padding after it.
    fn bytes(self, stride: usize, value: usize) -> Option<usize> {
        let Some(others) = self.bone_count.checked_sub(1) else { return Some(0) };
        others.checked_mul(stride)?.checked_add(value)
    }
}

/// The bones of one player, borrowed.
#[derive(Clone, Copy, Debug)]
pub struct Bones<'a> {
    /// The player.
    pub slot: i32,
    /// Their layout.
    pub skeleton: Skeleton,
    transforms: &'a [u8],
    orientations: &'a [u8],
}

impl<'a> Bones<'a> {
    /// Creates the bones of a player. `header` is the result of [`Skeleton::of_header`]; the player's own layout takes
    /// precedence. If neither is given, the default of the schema is used unless the size of the bytes indicates
    /// another number of bones: writers omit the layout and write the 23 bones of the engine.
    pub fn new(bones: &'a PlayerBones, header: Option<Skeleton>) -> Result<Self, BonesError> {
        let stated = bones.skeleton_override.map(Skeleton::from).or(header);
        let skeleton = stated.unwrap_or_else(|| inferred(&bones.transforms, &bones.orientations));
        let Skeleton { bone_count, transform_stride, orientation_stride } = skeleton;
        if bone_count > 1 && (transform_stride < TRANSFORM_BYTES || orientation_stride < ORIENTATION_BYTES) {
            return Err(BonesError::Layout { transform_stride, orientation_stride });
        }
        for (what, bytes, stride, value) in [
            ("transforms", &bones.transforms, transform_stride, TRANSFORM_BYTES),
            ("orientations", &bones.orientations, orientation_stride, ORIENTATION_BYTES),
        ] {
            let expected = skeleton.bytes(stride, value).unwrap_or(usize::MAX);
            // With or without padding after the last bone.
            let padded = bone_count.saturating_mul(stride);
            if bytes.len() != expected && bytes.len() != padded {
                return Err(BonesError::Length { what, bone_count, expected, actual: bytes.len() });
            }
        }
        Ok(Self { slot: bones.slot, skeleton, transforms: &bones.transforms, orientations: &bones.orientations })
    }

    /// Number of bones.
    pub fn len(&self) -> usize {
        self.skeleton.bone_count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The translation of a bone: x, y, z.
    pub fn translation(&self, bone: usize) -> Option<[f32; 3]> {
        floats(self.transforms, bone, self.skeleton.transform_stride)
    }

    /// The rotation of a bone: x, y, z, w.
    pub fn rotation(&self, bone: usize) -> Option<[f32; 4]> {
        floats(self.orientations, bone, self.skeleton.orientation_stride)
    }

    /// Iterates over the translations and rotations of all bones.
    pub fn iter(&self) -> impl Iterator<Item = ([f32; 3], [f32; 4])> + '_ {
        (0..self.len()).map_while(|bone| Some((self.translation(bone)?, self.rotation(bone)?)))
    }

    /// The raw bytes: translations and rotations.
    pub fn bytes(&self) -> (&'a [u8], &'a [u8]) {
        (self.transforms, self.orientations)
    }
}

fn inferred(transforms: &[u8], orientations: &[u8]) -> Skeleton {
    let bone_count = transforms.len() / TRANSFORM_BYTES;
    if transforms.len() == bone_count * TRANSFORM_BYTES && orientations.len() == bone_count * ORIENTATION_BYTES {
        return Skeleton { bone_count, ..DEFAULT_SKELETON };
    }
    DEFAULT_SKELETON
}

fn floats<const N: usize>(bytes: &[u8], bone: usize, stride: usize) -> Option<[f32; N]> {
    let (chunks, _) = bytes.get(bone.checked_mul(stride)?..)?.as_chunks::<4>();
    let chunks: &[[u8; 4]; N] = chunks.first_chunk()?;
    Some(chunks.map(f32::from_le_bytes))
}

/// Creates `PlayerBones` from equally many translations and rotations.
pub fn player_bones(slot: i32, translations: &[[f32; 3]], rotations: &[[f32; 4]]) -> PlayerBones {
    let bytes = |floats: &[f32]| floats.iter().flat_map(|float| float.to_le_bytes()).collect::<Vec<u8>>().into();
    PlayerBones {
        slot,
        transforms: bytes(translations.as_flattened()),
        orientations: bytes(rotations.as_flattened()),
        skeleton_override: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(count: u8) -> PlayerBones {
        let translations: Vec<_> = (0..count).map(|bone| [f32::from(bone), 0.5, -1.0]).collect();
        let rotations: Vec<_> = (0..count).map(|bone| [0.0, 0.25, f32::from(bone), 1.0]).collect();
        player_bones(3, &translations, &rotations)
    }

    #[test]
    fn engine_and_schema_skeletons_are_read_also_where_nothing_states_them() {
        for (count, stated) in [(22, None), (22, Some(DEFAULT_SKELETON)), (23, None), (23, Some(ENGINE_SKELETON))] {
            let player = made(count);
            let bones = Bones::new(&player, stated).unwrap();
            assert_eq!((bones.len(), bones.slot, bones.iter().count()), (usize::from(count), 3, usize::from(count)));
            assert_eq!(bones.translation(21), Some([21.0, 0.5, -1.0]));
            assert_eq!(bones.rotation(21), Some([0.0, 0.25, 21.0, 1.0]));
            assert_eq!(bones.translation(usize::from(count)), None);
            assert_eq!(bones.bytes().0.as_ptr(), player.transforms.as_ptr());
        }
    }

    #[test]
    fn a_stated_layout_that_does_not_fit_is_an_error() {
        let expected = BonesError::Length { what: "transforms", bone_count: 22, expected: 264, actual: 276 };
        assert_eq!(Bones::new(&made(23), Some(DEFAULT_SKELETON)).unwrap_err(), expected);
        let mut odd = made(23);
        odd.orientations = odd.orientations.slice(4..);
        assert!(Bones::new(&odd, None).is_err());
    }

    #[test]
    fn a_players_own_layout_comes_first() {
        // Two bones with four bytes of padding after each translation.
        let transforms: Vec<u8> =
            [1.0f32, 2.0, 3.0, 99.0, 4.0, 5.0, 6.0].iter().flat_map(|float| float.to_le_bytes()).collect();
        let mut player =
            PlayerBones { transforms: transforms.into(), orientations: vec![0; 32].into(), ..Default::default() };
        player.skeleton_override = Some(SkeletonLayout { bone_count: 2, transform_stride: 16, orientation_stride: 0 });
        assert_eq!(Bones::new(&player, Some(ENGINE_SKELETON)).unwrap().translation(1), Some([4.0, 5.0, 6.0]));
        player.skeleton_override = Some(SkeletonLayout { bone_count: 2, transform_stride: 8, orientation_stride: 0 });
        assert!(matches!(Bones::new(&player, None), Err(BonesError::Layout { transform_stride: 8, .. })));
        player.skeleton_override =
            Some(SkeletonLayout { bone_count: u32::MAX, transform_stride: u32::MAX, orientation_stride: u32::MAX });
        assert!(matches!(Bones::new(&player, None), Err(BonesError::Length { .. })));
    }
}
