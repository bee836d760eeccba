//! A streaming response whose body is produced chunk by chunk while the client is connected.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

/// Produces the chunks.
pub(super) trait Chunks: Send + 'static {
    /// Returns the next chunk; `None` at the end.
    fn chunk(&mut self) -> impl Future<Output = Option<Bytes>> + Send;
}

/// Creates a response that is never cached.
pub(super) fn answer(chunks: impl Chunks + Unpin, content_type: &'static str) -> Response {
    let mut response = Body::from_stream(Stream { chunks: Some(chunks), next: None }).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

type Waiting<P> = Pin<Box<dyn Future<Output = (P, Option<Bytes>)> + Send>>;

/// Either a chunk is being produced, or the next one can be started.
struct Stream<P> {
    chunks: Option<P>,
    next: Option<Waiting<P>>,
}

impl<P: Chunks + Unpin> futures_core::Stream for Stream<P> {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(mut chunks) = self.chunks.take() {
            self.next = Some(Box::pin(async move {
                let bytes = chunks.chunk().await;
                (chunks, bytes)
            }));
        }
        let Some(next) = self.next.as_mut() else { return Poll::Ready(None) };
        next.as_mut().poll(context).map(|(chunks, bytes)| {
            self.next = None;
            self.chunks = bytes.is_some().then_some(chunks);
            bytes.map(Ok)
        })
    }
}
