//! The socket: takes connections, and lets go of those that are too slow to speak or to listen.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::extract::{ConnectInfo, Request};
use hyper::body::Incoming;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::Sleep;
use tower::ServiceExt;

/// Connections at once.
const MOST: usize = 4096;
/// How long the head of a request may take to arrive, and how long a connection may be idle.
const HEAD_PATIENCE: Duration = Duration::from_secs(15);
/// How long a client may take to accept anything of an answer.
const WRITE_PATIENCE: Duration = Duration::from_secs(30);
/// How long answers that are being given are waited for at the end.
const END_PATIENCE: Duration = Duration::from_secs(5);

/// Serves until `stop` is true.
pub(crate) async fn serve(listener: TcpListener, app: Router, mut stop: watch::Receiver<bool>) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(MOST));
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = ended(&mut stop) => break,
        };
        let (socket, peer) = match accepted {
            Ok(accepted) => accepted,
            // A client that went away while it was taken; or too many files: that passes.
            Err(error) => {
                crate::cli::tell(&format!("serve: {error}"));
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).try_acquire_owned() else { continue };
        let (app, stop) = (app.clone(), stop.clone());
        tokio::spawn(async move {
            talk(socket, peer, app, stop).await;
            drop(place);
        });
    }
    drop(listener);
    // All places are free when all have gone.
    let all = u32::try_from(MOST).unwrap_or(u32::MAX);
    let _ = tokio::time::timeout(END_PATIENCE, places.acquire_many(all)).await;
    Ok(())
}

async fn ended(stop: &mut watch::Receiver<bool>) {
    // Who could say so is gone: that is an end too.
    let _ = stop.wait_for(|stop| *stop).await;
}

async fn talk(socket: TcpStream, peer: SocketAddr, app: Router, mut stop: watch::Receiver<bool>) {
    // Answers are small: waiting for more to send costs 40 ms.
    let _ = socket.set_nodelay(true);
    let service = hyper::service::service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        app.clone().oneshot(request.map(axum::body::Body::new) as Request)
    });
    let mut builder = hyper::server::conn::http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD_PATIENCE).max_buf_size(64 << 10);
    let io = TokioIo::new(Impatient { socket, waiting: None });
    let connection = builder.serve_connection(io, service).with_upgrades();
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // How a connection ended is its client's business.
        _ = connection.as_mut() => {}
        () = ended(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            let _ = tokio::time::timeout(END_PATIENCE, connection).await;
        }
    }
}

/// A socket that gives up when nothing can be written for a while.
struct Impatient {
    socket: TcpStream,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Impatient {
    fn watch<T>(&mut self, context: &mut Context<'_>, result: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if result.is_ready() {
            self.waiting = None;
            return result;
        }
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(tokio::time::sleep(WRITE_PATIENCE)));
        match waiting.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::Error::from(io::ErrorKind::TimedOut))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl AsyncRead for Impatient {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_read(context, buffer)
    }
}

impl AsyncWrite for Impatient {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.socket).poll_write(context, bytes);
        this.watch(context, result)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let result = Pin::new(&mut this.socket).poll_flush(context);
        this.watch(context, result)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_shutdown(context)
    }
}
