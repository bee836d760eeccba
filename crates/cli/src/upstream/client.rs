//! An HTTP client for the upstream server: its address, its token, and one request at a time.

use std::time::Duration;

use anyhow::Context as _;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode, header};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use crate::http_address::{HttpAddress, is_token};

/// Timeouts for connecting and for a response. The response takes long because the server checks the whole tape first.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(600);
/// The largest response read.
const LARGEST_RESPONSE: usize = 1 << 20;

/// Another gametape server.
#[derive(Debug, Clone)]
pub(crate) struct Upstream {
    address: HttpAddress,
    token: String,
}

/// A response.
pub(super) struct Said {
    pub(super) status: StatusCode,
    pub(super) body: Value,
}

impl Said {
    /// Returns the message of an error response.
    pub(super) fn refusal(&self) -> String {
        let message = self.body["error"]["message"].as_str().unwrap_or("no reason given");
        format!("{} {}", self.status.as_u16(), crate::human::safe(message))
    }
}

impl Upstream {
    /// Parses an address like `http://laps.example:7223`.
    pub(crate) fn new(url: &str, token: String) -> Result<Self, String> {
        let address = HttpAddress::parse(url)?;
        match is_token(&token) {
            true => Ok(Self { address, token }),
            false => Err("the token for the upstream server is empty or not a valid token".to_owned()),
        }
    }

    /// Returns its address without the token; this identifies the server in the store.
    pub(crate) fn name(&self) -> String {
        self.address.name()
    }

    /// Sends a PUT request.
    pub(super) async fn put(&self, path: &str, kind: &str, body: Vec<u8>) -> anyhow::Result<Said> {
        let HttpAddress { host, port, authority, path: below } = &self.address;
        let connecting = TcpStream::connect((host.as_str(), *port));
        let socket = tokio::time::timeout(CONNECT_TIMEOUT, connecting).await.context("cannot connect: timed out")??;
        socket.set_nodelay(true)?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake::<_, Body>(TokioIo::new(socket)).await?;
        let talking = tokio::spawn(connection);
        let request = Request::builder()
            .method(Method::PUT)
            .uri(format!("{below}{path}"))
            .header(header::HOST, authority)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
            .header(header::CONTENT_TYPE, kind)
            .body(Body::from(body))?;
        let answered = tokio::time::timeout(RESPONSE_TIMEOUT, async {
            let response = sender.send_request(request).await?;
            let status = response.status();
            let body = to_bytes(Body::new(response.into_body()), LARGEST_RESPONSE).await?;
            anyhow::Ok(Said { status, body: serde_json::from_slice(&body).unwrap_or_default() })
        });
        let said = answered.await.context("the server did not respond in time");
        talking.abort();
        said?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_upstream_needs_an_address_and_a_token() {
        let upstream = Upstream::new("http://laps.example:7223/rig/", "gt_x".to_owned()).unwrap();
        assert_eq!(upstream.name(), "http://laps.example:7223/rig");
        assert!(Upstream::new("laps.example", "x".to_owned()).is_err());
        assert!(
            Upstream::new("http://a", String::new()).is_err() && Upstream::new("http://a", "a b".to_owned()).is_err()
        );
    }
}
