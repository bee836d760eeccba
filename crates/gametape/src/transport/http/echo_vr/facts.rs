//! Facts about Echo VR for the doctor: what a recorder would find.

use super::EchoVrAddress;
use super::reply::look_at_echo_vr;
use crate::transport::State;

/// The result of scanning the ports of Echo VR.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EchoVrFacts {
    /// The address that was scanned.
    pub address: String,
    /// What a recorder would find.
    pub state: State,
    /// Id of the tape that is being played, if a player responds.
    pub played: Option<String>,
}

impl EchoVrFacts {
    /// Scans the ports once. Returns quickly on this machine if nothing is listening.
    pub(crate) fn look(address: &EchoVrAddress) -> Self {
        let (state, played) = look_at_echo_vr(address);
        Self { address: address.to_string(), state, played }
    }
}
