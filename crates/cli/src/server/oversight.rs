//! Ends live streams when the server shuts down or the client's token is revoked. Other programs can revoke tokens and hide drivers too, so
//! the store is polled, by one task for all streams, and only while there are streams that depend on it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use gametape::laps::Id;
use gametape::store::Audience;
use tokio::sync::watch;

use super::access::Caller;
use super::blocking::query_store;
use super::error::ApiError;
use super::state::AppState;
use super::streaming::Chunks;

/// The poll interval.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long a client may take to accept the last message.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(200);

/// Valid tokens; `None` until the store was queried.
type Valid = Option<Arc<BTreeSet<Id>>>;

/// What open streams depend on.
pub(crate) struct Oversight {
    shutdown: watch::Sender<bool>,
    valid: watch::Sender<Valid>,
    watching: Mutex<Watching>,
}

#[derive(Default)]
struct Watching {
    /// The number of streams that depend on the store.
    streams: usize,
    /// Whether the polling task is running.
    runs: bool,
    /// The privacy state at the last poll.
    privacy: Option<i64>,
}

impl Default for Oversight {
    fn default() -> Self {
        Self { shutdown: watch::Sender::new(false), valid: watch::Sender::new(None), watching: Mutex::default() }
    }
}

impl Oversight {
    /// Ends all streams, for shutdown.
    pub(crate) fn shut_down(&self) {
        self.shutdown.send_replace(true);
    }

    /// Returns a receiver that becomes true at shutdown.
    pub(crate) fn shutdown(&self) -> watch::Receiver<bool> {
        self.shutdown.subscribe()
    }

    /// Whether the store was asked for tokens.
    #[cfg(test)]
    pub(super) fn has_looked(&self) -> bool {
        self.valid.borrow().is_some()
    }

    fn watching<T>(&self, change: impl FnOnce(&mut Watching) -> T) -> T {
        change(&mut self.watching.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Stores the current privacy state; returns whether it has changed.
    fn privacy_differs(&self, now: i64) -> bool {
        self.watching(|watching| watching.privacy.replace(now) != Some(now))
    }
}

/// Why a stream ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Shutdown,
    Revoked,
}

impl Ending {
    fn text(self) -> &'static str {
        match self {
            Self::Shutdown => "the server is shutting down",
            Self::Revoked => "the token was revoked",
        }
    }
}

/// An open stream.
pub(super) struct Overseen {
    shutdown: watch::Receiver<bool>,
    token: Option<(Id, watch::Receiver<Valid>)>,
    /// Held while the stream is open.
    _counted: Option<Counted>,
}

struct Counted(Arc<Oversight>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.watching(|watching| watching.streams = watching.streams.saturating_sub(1));
    }
}

impl Overseen {
    /// Registers a stream. Events that are no longer public are dropped before this returns.
    pub(super) async fn new(state: &AppState, caller: Caller, audience: Audience) -> Result<Self, ApiError> {
        let oversight = &state.oversight;
        if audience == Audience::Public {
            forget_hidden(state, query_store(state, |store| store.privacy_state()).await?);
        }
        if let Some(token) = caller.token {
            // The token was checked against the store just now; the set may be from before it was added.
            oversight.valid.send_modify(|valid| {
                if let Some(valid) = valid {
                    Arc::make_mut(valid).insert(token);
                }
            });
        }
        let depends = audience == Audience::Public || caller.token.is_some();
        Ok(Self {
            shutdown: oversight.shutdown(),
            token: caller.token.map(|token| (token, oversight.valid.subscribe())),
            _counted: depends.then(|| count(state)),
        })
    }

    /// Waits until the stream has to end.
    pub(super) async fn ended(&mut self) -> Ending {
        let Self { shutdown, token, .. } = self;
        let revoked = async {
            let Some((token, valid)) = token else { return std::future::pending().await };
            let gone = valid.wait_for(|valid| valid.as_ref().is_some_and(|valid| !valid.contains(token)));
            if gone.await.is_err() {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            // If the sender is dropped, the server is gone.
            _ = shutdown.wait_for(|shutdown| *shutdown) => Ending::Shutdown,
            () = revoked => Ending::Revoked,
        }
    }
}

/// Counts a stream that depends on the store, and starts polling.
fn count(state: &AppState) -> Counted {
    let start = state.oversight.watching(|watching| {
        watching.streams += 1;
        !std::mem::replace(&mut watching.runs, true)
    });
    if start {
        tokio::spawn(watch_store(state.clone()));
    }
    Counted(Arc::clone(&state.oversight))
}

async fn watch_store(state: AppState) {
    loop {
        tokio::time::sleep(POLL_INTERVAL).await;
        let ends = state.oversight.watching(|watching| {
            watching.runs = watching.streams > 0;
            !watching.runs
        });
        if ends {
            return;
        }
        let store = Arc::clone(&state.store);
        let asked = tokio::task::spawn_blocking(move || {
            Ok::<_, gametape::store::StoreError>((store.tokens()?, store.privacy_state()?))
        });
        // An unreachable store says nothing about tokens; requests that need it fail on their own.
        let Ok(Ok((tokens, privacy))) = asked.await else { continue };
        forget_hidden(&state, privacy);
        let valid = tokens.into_iter().filter(|token| token.revoked_us.is_none()).map(|token| token.id);
        state.oversight.valid.send_replace(Some(Arc::new(valid.collect())));
    }
}

/// Drops the public history if a driver was hidden or shown since the last poll.
fn forget_hidden(state: &AppState, privacy: i64) {
    if state.oversight.privacy_differs(privacy) {
        state.hub.forget_public();
        state.car.set_public(None);
    }
}

/// Closes a WebSocket with a reason. Does not wait for a slow client.
pub(super) async fn close(mut socket: WebSocket, ending: Ending) {
    let code = match ending {
        Ending::Shutdown => close_code::AWAY,
        Ending::Revoked => close_code::POLICY,
    };
    let frame = CloseFrame { code, reason: ending.text().into() };
    let _ = tokio::time::timeout(CLOSE_TIMEOUT, socket.send(Message::Close(Some(frame)))).await;
}

/// The chunks of a body, until the stream has to end.
pub(super) struct UntilEnded<P> {
    chunks: P,
    overseen: Overseen,
    /// Builds the last chunk.
    farewell: fn(&str) -> Option<Bytes>,
    over: bool,
}

impl<P> UntilEnded<P> {
    pub(super) fn new(chunks: P, overseen: Overseen, farewell: fn(&str) -> Option<Bytes>) -> Self {
        Self { chunks, overseen, farewell, over: false }
    }
}

impl<P: Chunks> Chunks for UntilEnded<P> {
    async fn chunk(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        tokio::select! {
            biased;
            ending = self.overseen.ended() => {
                self.over = true;
                (self.farewell)(ending.text())
            }
            chunk = self.chunks.chunk() => chunk,
        }
    }
}
