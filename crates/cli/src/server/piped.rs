//! Long responses: written on a blocking thread, with backpressure from the client. Memory holds a few chunks, however long the
//! response is.

use std::io::{self, Write};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::ApiError;

/// Chunk size in bytes.
const CHUNK_BYTES: usize = 64 << 10;
/// The number of chunks buffered for the client.
const CHUNKS: usize = 4;

/// Creates a body written by `work`. The permit is held until it ends. If the work fails, the connection is aborted: a partial
/// response must not look complete.
pub(super) fn body(
    turn: OwnedSemaphorePermit,
    work: impl FnOnce(&mut Pipe) -> io::Result<()> + Send + 'static,
) -> Body {
    let (give, take) = channel(CHUNKS);
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let mut pipe = Pipe { give, chunk: Vec::with_capacity(CHUNK_BYTES) };
        if let Err(error) = work(&mut pipe).and_then(|()| pipe.flush()) {
            // Ignored if the client has disconnected.
            let _ = pipe.give.blocking_send(Err(error));
        }
    });
    Body::from_stream(Chunks(take))
}

/// Acquires a permit for a long response, or fails if too many are in progress.
pub(super) fn turn(of: &std::sync::Arc<Semaphore>) -> Result<OwnedSemaphorePermit, ApiError> {
    std::sync::Arc::clone(of).try_acquire_owned().map_err(|_| ApiError::busy())
}

/// The writer of a body. Blocks while the client is slow; fails when it has disconnected.
pub(super) struct Pipe {
    give: Sender<io::Result<Bytes>>,
    chunk: Vec<u8>,
}

impl Pipe {
    /// Fails if the client has disconnected, for work that writes nothing for a long time.
    pub(super) fn is_wanted(&self) -> io::Result<()> {
        if self.give.is_closed() { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.chunk.extend_from_slice(bytes);
        if self.chunk.len() >= CHUNK_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        let chunk = std::mem::replace(&mut self.chunk, Vec::with_capacity(CHUNK_BYTES));
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.give.blocking_send(Ok(Bytes::from(chunk))).map_err(gone)
    }
}

struct Chunks(Receiver<io::Result<Bytes>>);

impl futures_core::Stream for Chunks {
    type Item = io::Result<Bytes>;

    fn poll_next(mut self: std::pin::Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn one_turn() -> OwnedSemaphorePermit {
        Arc::new(Semaphore::new(1)).try_acquire_owned().unwrap()
    }

    #[tokio::test]
    async fn an_answer_whose_work_fails_does_not_look_whole() {
        let whole = body(one_turn(), |pipe| pipe.write_all(b"all of it"));
        assert_eq!(axum::body::to_bytes(whole, 100).await.unwrap(), "all of it");
        let cut = body(one_turn(), |pipe| {
            pipe.write_all(b"half of it")?;
            pipe.flush()?;
            Err(io::Error::other("the tape ends here"))
        });
        assert!(axum::body::to_bytes(cut, 100).await.is_err());
    }

    #[tokio::test]
    async fn work_that_writes_nothing_hears_that_its_client_went_away() {
        let (told, hears) = tokio::sync::oneshot::channel();
        let answer = body(one_turn(), move |pipe| {
            // Bounded in time, so that the test fails instead of hanging.
            let begun = std::time::Instant::now();
            while pipe.is_wanted().is_ok() && begun.elapsed().as_secs() < 20 {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            let _ = told.send(pipe.is_wanted().is_err());
            Ok(())
        });
        drop(answer);
        assert!(hears.await.unwrap(), "it was not notified");
    }
}
