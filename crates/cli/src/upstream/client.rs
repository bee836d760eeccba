//! The other server: its address, the token for it, and one request at a time.

use std::time::Duration;

use anyhow::Context as _;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, StatusCode, Uri, header};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

/// How long the other server may take to be reached, and to answer: it looks through a whole tape before it says that it has it.
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);
const ANSWER_PATIENCE: Duration = Duration::from_secs(600);
/// The longest answer.
const LONGEST_ANSWER: usize = 1 << 20;

/// Another gametape server.
#[derive(Debug, Clone)]
pub(crate) struct Upstream {
    host: String,
    port: u16,
    authority: String,
    path: String,
    token: String,
}

/// What it said.
pub(super) struct Said {
    pub(super) status: StatusCode,
    pub(super) body: Value,
}

impl Said {
    /// The sentence of an answer that refused.
    pub(super) fn refusal(&self) -> String {
        let message = self.body["error"]["message"].as_str().unwrap_or("it did not say why");
        format!("{} {}", self.status.as_u16(), crate::human::safe(message))
    }
}

impl Upstream {
    /// Reads an address like `http://laps.example:7223`.
    pub(crate) fn new(url: &str, token: String) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{url:?} is no address like http://host:7223 (there is no TLS: use a tunnel, or a proxy on this machine)"
            )
        };
        let uri: Uri = url.parse().map_err(|_| wrong())?;
        let authority = uri.authority().filter(|_| uri.scheme_str() == Some("http")).ok_or_else(wrong)?;
        if uri.query().is_some() || authority.as_str().contains('@') {
            return Err(wrong());
        }
        if token.is_empty() || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("the token of the upstream is empty or no token".to_owned());
        }
        Ok(Self {
            host: authority.host().trim_start_matches('[').trim_end_matches(']').to_owned(),
            port: authority.port_u16().unwrap_or(80),
            authority: authority.as_str().to_owned(),
            path: uri.path().trim_end_matches('/').to_owned(),
            token,
        })
    }

    /// Its address, without the token: what it is known by here.
    pub(crate) fn name(&self) -> String {
        format!("http://{}{}", self.authority, self.path)
    }

    /// Sends a body.
    pub(super) async fn put(&self, path: &str, kind: &str, body: Vec<u8>) -> anyhow::Result<Said> {
        let connecting = TcpStream::connect((self.host.as_str(), self.port));
        let socket = tokio::time::timeout(CONNECT_PATIENCE, connecting).await.context("it does not answer")??;
        socket.set_nodelay(true)?;
        let (mut sender, connection) = hyper::client::conn::http1::handshake::<_, Body>(TokioIo::new(socket)).await?;
        let talking = tokio::spawn(connection);
        let request = Request::builder()
            .method(Method::PUT)
            .uri(format!("{}{path}", self.path))
            .header(header::HOST, &self.authority)
            .header(header::AUTHORIZATION, format!("Bearer {}", self.token))
            .header(header::CONTENT_TYPE, kind)
            .body(Body::from(body))?;
        let answered = tokio::time::timeout(ANSWER_PATIENCE, async {
            let response = sender.send_request(request).await?;
            let status = response.status();
            let body = to_bytes(Body::new(response.into_body()), LONGEST_ANSWER).await?;
            anyhow::Ok(Said { status, body: serde_json::from_slice(&body).unwrap_or_default() })
        });
        let said = answered.await.context("it did not answer in time");
        talking.abort();
        said?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_servers_are_read_and_others_refused() {
        let upstream = Upstream::new("http://laps.example:7223/rig/", "gt_x".to_owned()).unwrap();
        assert_eq!(upstream.name(), "http://laps.example:7223/rig");
        assert_eq!(Upstream::new("http://[::1]:80", "x".to_owned()).unwrap().host, "::1");
        for wrong in ["", "laps.example", "https://laps.example", "http://", "http://a?b=c", "http://u:p@host"] {
            assert!(Upstream::new(wrong, "x".to_owned()).is_err(), "{wrong}");
        }
        assert!(
            Upstream::new("http://a", String::new()).is_err() && Upstream::new("http://a", "a b".to_owned()).is_err()
        );
    }
}
