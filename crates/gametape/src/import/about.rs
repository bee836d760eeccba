//! Writes a game's description of itself as metadata, under the same keys that recordings use.

use gametape_games::About;

use super::error::ImportError;
use super::out::Out;

/// Writes the known fields as metadata.
pub(super) fn tell_about(out: &mut dyn Out, about: &About) -> Result<(), ImportError> {
    let About { game_version, car, track, track_layout, session } = about;
    for (key, value) in [
        ("game_version", game_version),
        ("car", car),
        ("track", track),
        ("track_layout", track_layout),
        ("session", session),
    ] {
        value.iter().try_for_each(|value| out.metadata(key, value))?;
    }
    Ok(())
}
