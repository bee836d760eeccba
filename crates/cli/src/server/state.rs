//! The state shared by all handlers.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use gametape::paths::this_machine;
use gametape::store::Store;
use gametape::store::incoming::Incoming;
use tokio::sync::Semaphore;

use super::access::Access;
use super::car_feed::CarFeed;
use super::clients::{Clients, Limits};
use super::frames::FrameFeed;
use super::live::Hub;
use super::metrics::Metrics;
use super::oversight::Oversight;
use super::playback::Playback;

/// The largest number of concurrent tape downloads.
const DOWNLOADS: usize = 16;
/// The largest number of concurrent exports: each occupies a whole core.
const EXPORTS: usize = 2;

/// The state shared by all handlers. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AppState {
    pub(super) store: Arc<dyn Store>,
    pub(super) access: Arc<Access>,
    pub(super) clients: Arc<Clients>,
    pub(super) metrics: Arc<Metrics>,
    pub(crate) hub: Arc<Hub>,
    pub(super) car: Arc<CarFeed>,
    pub(super) frames: Arc<FrameFeed>,
    pub(crate) oversight: Arc<Oversight>,
    /// Where tapes of other servers are stored; if not set, none are accepted.
    pub(super) incoming: Arc<OnceLock<Incoming>>,
    pub(super) downloads: Arc<Semaphore>,
    pub(super) exports: Arc<Semaphore>,
    /// The playback started from the dashboard.
    pub(crate) playback: Arc<Playback>,
}

impl AppState {
    pub(crate) fn new(store: Arc<dyn Store>, access: Access, limits: Limits) -> Self {
        Self {
            store,
            access: Arc::new(access),
            clients: Arc::new(Clients::new(limits)),
            metrics: Arc::default(),
            hub: Arc::default(),
            car: Arc::default(),
            frames: Arc::default(),
            oversight: Arc::default(),
            incoming: Arc::default(),
            downloads: Arc::new(Semaphore::new(DOWNLOADS)),
            exports: Arc::new(Semaphore::new(EXPORTS)),
            playback: Arc::default(),
        }
    }

    /// Accepts tapes from other servers, and stores them in this folder.
    pub(crate) fn take_tapes(&self, folder: PathBuf) {
        self.incoming.get_or_init(|| Incoming::new(folder, this_machine()));
    }
}
