//! Ends live streams that may not go on: the server shuts down, or the token of the client was revoked. Other programs revoke tokens and hide drivers too, so
//! the store is asked again and again, by one task for all streams and only while there are some that depend on it.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use gametape::laps::Id;
use gametape::store::Audience;
use tokio::sync::watch;

use super::access::Caller;
use super::blocking::ask;
use super::error::ApiError;
use super::in_pieces::Pieces;
use super::state::AppState;

/// How often the store is asked.
const EVERY: Duration = Duration::from_secs(1);
/// How long a client may take to accept the last message.
const FAREWELL: Duration = Duration::from_millis(200);

/// Tokens that were not revoked; `None` until the store was asked.
type Valid = Option<Arc<BTreeSet<Id>>>;

/// What open streams depend on.
pub(crate) struct Oversight {
    shutdown: watch::Sender<bool>,
    valid: watch::Sender<Valid>,
    watching: Mutex<Watching>,
}

#[derive(Default)]
struct Watching {
    /// Streams that depend on the store.
    streams: usize,
    /// The task that asks the store runs.
    runs: bool,
    /// Who was hidden when the store was asked last.
    privacy: Option<i64>,
}

impl Default for Oversight {
    fn default() -> Self {
        Self { shutdown: watch::Sender::new(false), valid: watch::Sender::new(None), watching: Mutex::default() }
    }
}

impl Oversight {
    /// Ends all streams: the server shuts down.
    pub(crate) fn shut_down(&self) {
        self.shutdown.send_replace(true);
    }

    /// Becomes true when the server shuts down.
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

    /// Notes who is hidden now; returns whether that differs from before.
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
            Self::Shutdown => "the server shuts down",
            Self::Revoked => "the token was revoked",
        }
    }
}

/// An open stream.
pub(super) struct Overseen {
    shutdown: watch::Receiver<bool>,
    token: Option<(Id, watch::Receiver<Valid>)>,
    /// Held as long as the stream is open.
    _counted: Option<Counted>,
}

struct Counted(Arc<Oversight>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.watching(|watching| watching.streams = watching.streams.saturating_sub(1));
    }
}

impl Overseen {
    /// Watches over a stream from now on. What the public may not see any more is forgotten before this returns.
    pub(super) async fn new(state: &AppState, caller: Caller, audience: Audience) -> Result<Self, ApiError> {
        let oversight = &state.oversight;
        if audience == Audience::Public {
            forget_hidden(state, ask(state, |store| store.privacy_state()).await?);
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
            // If the sender is gone, so is the server.
            _ = shutdown.wait_for(|shutdown| *shutdown) => Ending::Shutdown,
            () = revoked => Ending::Revoked,
        }
    }
}

/// Counts a stream that depends on the store, and has the store asked.
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
        tokio::time::sleep(EVERY).await;
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
        // A store that is away says nothing about tokens; whoever asks it for anything is told so.
        let Ok(Ok((tokens, privacy))) = asked.await else { continue };
        forget_hidden(&state, privacy);
        let valid = tokens.into_iter().filter(|token| token.revoked_us.is_none()).map(|token| token.id);
        state.oversight.valid.send_replace(Some(Arc::new(valid.collect())));
    }
}

/// If somebody was hidden or shown since the store was asked last, what was told is not told to the public again.
fn forget_hidden(state: &AppState, privacy: i64) {
    if state.oversight.privacy_differs(privacy) {
        state.hub.forget_public();
        state.car.set_public(None);
    }
}

/// Says goodbye on a WebSocket. A client that does not take it is not waited for.
pub(super) async fn close(mut socket: WebSocket, ending: Ending) {
    let code = match ending {
        Ending::Shutdown => close_code::AWAY,
        Ending::Revoked => close_code::POLICY,
    };
    let frame = CloseFrame { code, reason: ending.text().into() };
    let _ = tokio::time::timeout(FAREWELL, socket.send(Message::Close(Some(frame)))).await;
}

/// The pieces of a body, until the stream has to end.
pub(super) struct UntilEnded<P> {
    pieces: P,
    overseen: Overseen,
    /// What the last piece is.
    farewell: fn(&str) -> Option<Bytes>,
    over: bool,
}

impl<P> UntilEnded<P> {
    pub(super) fn new(pieces: P, overseen: Overseen, farewell: fn(&str) -> Option<Bytes>) -> Self {
        Self { pieces, overseen, farewell, over: false }
    }
}

impl<P: Pieces> Pieces for UntilEnded<P> {
    async fn piece(&mut self) -> Option<Bytes> {
        if self.over {
            return None;
        }
        tokio::select! {
            biased;
            ending = self.overseen.ended() => {
                self.over = true;
                (self.farewell)(ending.text())
            }
            piece = self.pieces.piece() => piece,
        }
    }
}
