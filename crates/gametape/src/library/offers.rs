//! Matches listeners to the streams that the sources of a capture provide.

use super::known_types::known_type;
use super::listener::Want;
use super::source_spec::{Offer, SourceSpec};
use super::start_error::StartError;
use crate::tape::wanted::{ANY_LENGTH, Wanted};

/// The streams that the sources of a capture provide, as far as known before they are available.
#[derive(Debug, Default)]
pub(crate) struct Offers {
    offers: Vec<Offer>,
    /// Whether there may be further streams.
    open: bool,
}

impl Offers {
    pub(crate) fn add(&mut self, source: &SourceSpec) {
        self.offers.extend(source.offers.iter().cloned());
        self.open |= source.is_open();
    }

    /// Returns the streams that a listener requests.
    pub(crate) fn resolve(&self, want: &Want) -> Result<Wanted, StartError> {
        match want {
            Want::All => Ok(Wanted { type_name: "all frames", type_bytes: ANY_LENGTH, streams: Vec::new() }),
            Want::Type { id, name, bytes } => {
                let of_type = self.offers.iter().filter(|offer| offer.type_id == Some(*id));
                let mut streams: Vec<_> =
                    of_type.map(|offer| (Some(offer.game.clone()), offer.stream.clone())).collect();
                if let Some(known) = known_type(*id).filter(|known| self.may_give(Some(known.game), known.stream)) {
                    streams.push((Some(known.game.into()), known.stream.into()));
                }
                self.wanted(name, *bytes, streams)
            }
            Want::Stream { stream, name, bytes } => {
                let streams = if self.may_give(None, stream) { vec![(None, stream.clone())] } else { Vec::new() };
                let name = if bytes.is_some() { name } else { "bytes" };
                self.wanted(name, bytes.unwrap_or(ANY_LENGTH), streams)
            }
        }
    }

    /// Returns the error for a listener without a stream.
    pub(super) fn nobody_gives(&self, type_name: &str) -> StartError {
        let offered = self.offers.iter().map(|offer| format!("{} of {}", offer.stream, offer.game));
        StartError::NobodyGives { type_name: type_name.into(), offered: offered.collect::<Vec<_>>().join(", ") }
    }

    fn may_give(&self, game: Option<&str>, stream: &str) -> bool {
        let is_it = |offer: &Offer| offer.stream == stream && game.is_none_or(|game| offer.game == game);
        self.open || self.offers.iter().any(is_it)
    }

    fn wanted(
        &self,
        type_name: &'static str,
        type_bytes: usize,
        mut streams: Vec<(Option<String>, String)>,
    ) -> Result<Wanted, StartError> {
        streams.dedup();
        if streams.is_empty() {
            return Err(self.nobody_gives(type_name));
        }
        let wanted = Wanted { type_name, type_bytes, streams };
        let meant = self.offers.iter().filter(|offer| wanted.means(&offer.game, &offer.stream));
        for spec in meant.filter_map(|offer| offer.spec.as_ref()) {
            wanted.check(spec).map_err(StartError::WrongType)?;
        }
        Ok(wanted)
    }
}
