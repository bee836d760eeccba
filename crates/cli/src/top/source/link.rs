//! One request and its response, over HTTP or from the store of this machine.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, StatusCode, header};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;

use super::super::text::clean;
use super::local::LocalStore;
use crate::http_address::HttpAddress;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Long, since a comparison reads two tapes.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);
/// The largest response read.
const LARGEST_RESPONSE: usize = 32 << 20;

/// A server and the token for it.
#[derive(Debug, Clone)]
pub(crate) struct Http {
    pub(crate) address: HttpAddress,
    pub(crate) token: Option<String>,
}

/// Where requests go.
#[derive(Clone)]
pub(crate) enum Link {
    Server(Arc<Http>),
    Store(Arc<LocalStore>),
}

impl Link {
    /// Requests a path. Returns `null` if there is no store yet.
    pub(crate) async fn json(&self, path: &str) -> Result<Value, String> {
        let asked = async {
            let response = match self {
                Self::Server(http) => http.get(path).await?,
                Self::Store(store) => match store.get(path).await? {
                    Some(response) => response,
                    None => return Ok(Value::Null),
                },
            };
            read(response).await
        };
        match tokio::time::timeout(RESPONSE_TIMEOUT, asked).await {
            Ok(answer) => answer,
            Err(_) => Err(format!("no response within {} s", RESPONSE_TIMEOUT.as_secs())),
        }
    }
}

async fn read(response: Response<Body>) -> Result<Value, String> {
    let status = response.status();
    let body = to_bytes(response.into_body(), LARGEST_RESPONSE).await.map_err(|error| said(&error))?;
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    refusal(status, &body).map_or(Ok(body), Err)
}

/// Returns the message for an error response.
pub(super) fn refusal(status: StatusCode, body: &Value) -> Option<String> {
    let message = || clean(body["error"]["message"].as_str().unwrap_or("no reason given"));
    match status {
        status if status.is_success() => None,
        StatusCode::UNAUTHORIZED => {
            Some("the server requires a valid token; set GAMETAPE_TOKEN, or name a file with --token-file".into())
        }
        StatusCode::NOT_FOUND if body["error"]["code"].as_str() == Some("length_unknown") => Some(
            "the length of this track is not known yet: it is learned when the first session on it ends; retrying"
                .into(),
        ),
        StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST => Some(message()),
        status => Some(format!("the server responded with {}: {}", status.as_u16(), message())),
    }
}

fn said(error: &dyn std::error::Error) -> String {
    clean(&error.to_string())
}

impl Http {
    /// Sends a request over a new connection. Reading the body has no time limit.
    pub(super) async fn get(&self, path: &str) -> Result<Response<Body>, String> {
        let HttpAddress { host, port, authority, path: below } = &self.address;
        let connecting = TcpStream::connect((host.as_str(), *port));
        let socket = match tokio::time::timeout(CONNECT_TIMEOUT, connecting).await {
            Ok(socket) => socket.map_err(|error| said(&error))?,
            Err(_) => return Err("cannot connect: timed out".to_owned()),
        };
        let _ = socket.set_nodelay(true);
        let shaken = hyper::client::conn::http1::handshake::<_, Body>(TokioIo::new(socket)).await;
        let (mut sender, connection) = shaken.map_err(|error| said(&error))?;
        // Ends with the body, or when the body is dropped.
        tokio::spawn(connection);
        let mut request = Request::get(format!("{below}{path}")).header(header::HOST, authority);
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let request = request.body(Body::empty()).map_err(|error| said(&error))?;
        let response = tokio::time::timeout(RESPONSE_TIMEOUT, sender.send_request(request)).await;
        let response = response.map_err(|_| "the server did not respond in time".to_owned())?;
        Ok(response.map_err(|error| said(&error))?.map(Body::new))
    }
}
