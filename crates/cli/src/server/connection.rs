//! Accepts connections, and disconnects clients that are too slow to send or to receive.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::Sleep;
use tower::ServiceExt;

use super::connection_slots::{Capacity, ConnectionSlot, ConnectionSlots};
use super::routes::app;
use super::state::AppState;

/// Timeout for receiving a request head, and for an idle connection.
const HEAD_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a client may accept no data of a response.
const WRITE_TIMEOUT: Duration = Duration::from_secs(30);
/// The lowest rate in bytes per second at which a client must accept a long response after that time.
const MIN_RATE: u64 = 16 << 10;
/// How long to wait for responses in flight at shutdown. A user who pressed Ctrl+C waits as long.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(300);
/// The response to a client with too many connections.
const TOO_MANY: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// Serves until the server is shut down.
pub(crate) async fn serve(listener: TcpListener, state: AppState, capacity: Capacity) -> io::Result<()> {
    let mut stop = state.oversight.shutdown();
    let slots = ConnectionSlots::new(capacity, state.access.trusted_proxies.clone());
    let app = app(state);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = ended(&mut stop) => break,
        };
        let (socket, peer) = match accepted {
            Ok(accepted) => accepted,
            // The client disconnected during accept, or too many files are open: both are temporary.
            Err(error) => {
                crate::cli::tell(&format!("serve: {error}"));
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some(slot) = slots.take(peer.ip()) else {
            let _ = socket.try_write(TOO_MANY);
            continue;
        };
        let (app, stop) = (app.clone(), stop.clone());
        tokio::spawn(talk(socket, peer, app, stop, slot));
    }
    drop(listener);
    let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, slots.all_free()).await;
    Ok(())
}

async fn ended(stop: &mut watch::Receiver<bool>) {
    // If the sender is dropped, the server is shut down too.
    let _ = stop.wait_for(|stop| *stop).await;
}

async fn talk(socket: TcpStream, peer: SocketAddr, app: Router, mut stop: watch::Receiver<bool>, slot: ConnectionSlot) {
    // Responses are small: Nagle's algorithm would delay them by 40 ms.
    let _ = socket.set_nodelay(true);
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        request.extensions_mut().insert(slot.clone());
        app.clone().oneshot(request.map(axum::body::Body::new) as Request)
    });
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT).max_buf_size(64 << 10);
    let io = TokioIo::new(TimedSocket { socket, waiting: None, slow: None });
    let connection = builder.serve_connection(io, service).with_upgrades();
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // How a connection ended does not matter here.
        _ = connection.as_mut() => {}
        () = ended(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(SHUTDOWN_TIMEOUT, connection).await;
        }
    }
}

/// A socket that fails if nothing, or too little, can be written for a while: a response that is received slowly is held in
/// memory all the time.
struct TimedSocket {
    socket: TcpStream,
    waiting: Option<Pin<Box<Sleep>>>,
    /// Since when data is waiting to be written, and how much was written by then.
    slow: Option<(Instant, u64)>,
}

impl TimedSocket {
    fn watch<T>(&mut self, context: &mut Context<'_>, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.waiting = None;
            return result;
        }
        let (since, written) = self.slow.get_or_insert_with(|| (Instant::now(), 0));
        let late = since.elapsed();
        if late > WRITE_TIMEOUT && *written < MIN_RATE * late.as_secs() {
            return Poll::Ready(Err(io::Error::from(io::ErrorKind::TimedOut)));
        }
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(WRITE_TIMEOUT)));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::Error::from(io::ErrorKind::TimedOut))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for TimedSocket {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_read(context, buffer)
    }
}

impl AsyncWrite for TimedSocket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.socket).poll_write(context, bytes);
        if let (Poll::Ready(Ok(more)), Some((_, written))) = (&result, &mut this.slow) {
            *written += *more as u64;
        }
        this.watch(context, result)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.socket).poll_flush(context);
        if result.is_ready() {
            this.slow = None;
        }
        this.watch(context, result)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_at_shutdown_add_up_to_less_than_a_second() {
        // A client that keeps its connection open costs the user who pressed Ctrl+C this much: first the connection, then its slot.
        assert!(2 * SHUTDOWN_TIMEOUT < Duration::from_secs(1));
    }
}
