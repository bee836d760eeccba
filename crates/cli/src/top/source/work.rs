//! The source thread: chooses a server or store, reconnects when the connection is lost, handles requests.

use std::io;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, sleep};

use super::answer::answer;
use super::follow::follow;
use super::inbox::{Ask, Inbox, Status};
use super::link::{Http, Link};
use super::local::LocalStore;
use crate::top::finding::find_server;

/// The largest number of queued requests.
const QUESTIONS: usize = 16;
/// The shortest and the longest pause before reconnecting.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(5));
/// How often to look for a server on this machine.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// A connection that lasted this long resets the backoff.
const GOOD: Duration = Duration::from_secs(10);

/// Where to get data from.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// Only this server.
    Server(Http),
    /// Only this store, no server.
    Store(String),
    /// The server on this machine, or the store while there is none.
    Here,
}

/// The source thread.
pub(crate) struct Source {
    asks: Option<Sender<Ask>>,
    thread: Option<JoinHandle<()>>,
}

impl Source {
    /// Starts the thread.
    pub(crate) fn start(target: Target, inbox: Arc<Inbox>) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("gametape-top-ask")
            .enable_all()
            .build()?;
        let (asks, asked) = channel(QUESTIONS);
        let thread = std::thread::Builder::new().name("gametape-top".into()).spawn(move || {
            runtime.block_on(work(&target, &inbox, asked));
            end(runtime);
        })?;
        Ok(Self { asks: Some(asks), thread: Some(thread) })
    }

    /// Queues a request; `false` if the queue is full.
    pub(crate) fn ask(&self, ask: Ask) -> bool {
        self.asks.as_ref().is_some_and(|asks| asks.try_send(ask).is_ok())
    }
}

/// Shuts down without waiting for tapes that are being read.
fn end(runtime: Runtime) {
    runtime.shutdown_background();
}

impl Drop for Source {
    fn drop(&mut self) {
        self.asks = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn work(target: &Target, inbox: &Arc<Inbox>, mut asks: Receiver<Ask>) {
    let named = if let Target::Store(name) = target { Some(name.clone()) } else { None };
    let store = Arc::new(LocalStore::new(named));
    let mut pause = PAUSES.0;
    let mut lost = None;
    loop {
        let link = match target {
            Target::Server(http) => Link::Server(Arc::new(http.clone())),
            Target::Store(_) => Link::Store(Arc::clone(&store)),
            Target::Here => match find_server().await {
                Some(http) => Link::Server(Arc::new(http)),
                None => Link::Store(Arc::clone(&store)),
            },
        };
        let began = Instant::now();
        let reason = tokio::select! {
            reason = stay(&link, target, lost.take(), inbox) => reason,
            () = answer_all(&link, &mut asks, inbox) => return,
        };
        pause = if began.elapsed() > GOOD { PAUSES.0 } else { (pause * 2).min(PAUSES.1) };
        lost = reason;
        if let (Link::Server(http), Some(reason)) = (&link, &lost) {
            inbox.status(Status::Lost { name: http.address.name(), reason: reason.clone() });
            tokio::select! {
                () = sleep(pause) => {}
                () = answer_all(&link, &mut asks, inbox) => return,
            }
        }
    }
}

/// Uses the connection as long as it works. Returns why a server was lost; `None` if a better source was found.
async fn stay(link: &Link, target: &Target, lost: Option<String>, inbox: &Inbox) -> Option<String> {
    match link {
        Link::Server(http) => {
            if lost.is_none() {
                inbox.status(Status::Connecting { name: http.address.name() });
            }
            Some(follow(http, inbox).await)
        }
        Link::Store(store) => {
            let lost = lost.map(|reason| format!("connection to the server lost ({reason})"));
            inbox.status(Status::Store { name: store.name(), lost: lost.clone() });
            inbox.changed();
            loop {
                sleep(POLL_INTERVAL).await;
                if matches!(target, Target::Here) && find_server().await.is_some() {
                    return None;
                }
                // The store may have been created meanwhile.
                inbox.status(Status::Store { name: store.name(), lost: lost.clone() });
            }
        }
    }
}

/// Handles requests until the sender is dropped.
async fn answer_all(link: &Link, asks: &mut Receiver<Ask>, inbox: &Arc<Inbox>) {
    while let Some(ask) = asks.recv().await {
        let (link, inbox) = (link.clone(), Arc::clone(inbox));
        tokio::spawn(async move { inbox.answer(answer(&link, ask).await) });
    }
}
