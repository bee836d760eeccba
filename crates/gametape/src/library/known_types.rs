//! Maps the frame structs of games to their streams.

use std::any::TypeId;

use crate::games::{Frame, TypedStream, ac, acc, ace, acr};

/// A struct and its stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownType {
    id: fn() -> TypeId,
    pub(crate) game: &'static str,
    pub(crate) stream: &'static str,
    #[cfg_attr(not(test), allow(dead_code, reason = "a test compares it with the layouts"))]
    bytes: usize,
}

/// All structs.
fn all() -> [KnownType; 12] {
    [
        known::<ac::Physics>(),
        known::<ac::Graphics>(),
        known::<ac::Static>(),
        known::<acc::Physics>(),
        known::<acc::Graphics>(),
        known::<acc::Static>(),
        known::<ace::Physics>(),
        known::<ace::Graphics>(),
        known::<ace::Static>(),
        known::<acr::Physics>(),
        known::<acr::Graphics>(),
        known::<acr::Static>(),
    ]
}

fn known<F: Frame>() -> KnownType {
    let TypedStream { game, stream, .. } = F::stream();
    KnownType { id: TypeId::of::<F>, game: game.id, stream: stream.name, bytes: size_of::<F>() }
}

/// Returns the stream of a struct.
pub(crate) fn known_type(id: TypeId) -> Option<KnownType> {
    all().into_iter().find(|known| (known.id)() == id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GAMES;

    /// A game may do without structs; one that has them has them for all its streams.
    #[test]
    fn every_stream_of_a_game_with_structs_has_its_struct_in_the_table() {
        assert!(all().iter().all(|known| GAMES.iter().any(|game| game.id == known.game)));
        for game in GAMES.iter().filter(|game| all().iter().any(|known| known.game == game.id)) {
            for stream in game.streams.iter().filter(|stream| !stream.layouts().is_empty()) {
                let of_it = |known: &&KnownType| known.game == game.id && known.stream == stream.name;
                let found: Vec<KnownType> = all().iter().filter(of_it).copied().collect();
                assert!(!found.is_empty(), "{} {}: add its struct to the table", game.id, stream.name);
                for known in found {
                    assert!(stream.layout_of(known.bytes as u32).is_some(), "{known:?}");
                }
            }
        }
    }
}
