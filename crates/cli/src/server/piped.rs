//! Long answers: written on a thread that may wait, sent as fast as the client takes them. Memory holds a few pieces, however long the answer is.

use std::io::{self, Write};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::error::ApiError;

/// Bytes of a piece.
const PIECE: usize = 64 << 10;
/// Pieces that wait for the client.
const PIECES: usize = 4;

/// A body that this work writes. Its turn ends with it. If the work fails, the connection is cut: what has arrived must not look whole.
pub(super) fn body(
    turn: OwnedSemaphorePermit,
    work: impl FnOnce(&mut Pipe) -> io::Result<()> + Send + 'static,
) -> Body {
    let (give, take) = channel(PIECES);
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let mut pipe = Pipe { give, piece: Vec::with_capacity(PIECE) };
        if let Err(error) = work(&mut pipe).and_then(|()| pipe.flush()) {
            // A client that went away hears nothing of it.
            let _ = pipe.give.blocking_send(Err(error));
        }
    });
    Body::from_stream(Pieces(take))
}

/// A turn to give a long answer, if not too many are given already.
pub(super) fn turn(of: &std::sync::Arc<Semaphore>) -> Result<OwnedSemaphorePermit, ApiError> {
    std::sync::Arc::clone(of).try_acquire_owned().map_err(|_| ApiError::busy())
}

/// Where the work writes to. Waits for the client; fails when it is gone.
pub(super) struct Pipe {
    give: Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
}

impl Pipe {
    /// Whether the client is still there: work that writes nothing for a long time asks.
    pub(super) fn is_wanted(&self) -> io::Result<()> {
        if self.give.is_closed() { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE));
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.give.blocking_send(Ok(Bytes::from(piece))).map_err(gone)
    }
}

struct Pieces(Receiver<io::Result<Bytes>>);

impl futures_core::Stream for Pieces {
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
            // It ends whether it hears or not: a test that waits for it for ever would tell nobody why.
            let begun = std::time::Instant::now();
            while pipe.is_wanted().is_ok() && begun.elapsed().as_secs() < 20 {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            let _ = told.send(pipe.is_wanted().is_err());
            Ok(())
        });
        drop(answer);
        assert!(hears.await.unwrap(), "it was not told");
    }
}
