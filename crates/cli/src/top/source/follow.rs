//! Follows the live stream of a server until the connection ends.

use std::future::poll_fn;
use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use futures_core::Stream as _;
use serde_json::Value;

use super::super::facts::Car;
use super::super::text::clean;
use super::inbox::{Inbox, Status};
use super::link::{Http, refusal};
use super::sse::{Event, Parser};

/// Updates of the car per second: enough for the eye, little for a slow connection.
const CAR_HZ: u32 = 20;
/// Read timeout. A server sends something at least every 15 s.
const READ_TIMEOUT: Duration = Duration::from_secs(35);
/// The largest error response read.
const LARGEST_ERROR: usize = 64 << 10;

/// Follows the stream; returns why it ended.
pub(super) async fn follow(http: &Http, inbox: &Inbox) -> String {
    let response = match http.get(&format!("/api/v1/live?car={CAR_HZ}")).await {
        Ok(response) => response,
        Err(reason) => return reason,
    };
    let status = response.status();
    if !status.is_success() {
        let body = to_bytes(response.into_body(), LARGEST_ERROR).await.unwrap_or_default();
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        return refusal(status, &body).unwrap_or_default();
    }
    inbox.status(Status::Server { name: http.address.name() });
    // Events before the connection were missed.
    inbox.changed();
    listen(response.into_body(), inbox).await
}

async fn listen(body: Body, inbox: &Inbox) -> String {
    let mut pieces = body.into_data_stream();
    let mut parser = Parser::default();
    loop {
        let piece = poll_fn(|context| Pin::new(&mut pieces).poll_next(context));
        let bytes = match tokio::time::timeout(READ_TIMEOUT, piece).await {
            Ok(Some(Ok(bytes))) => bytes,
            Ok(Some(Err(error))) => return clean(&error.to_string()),
            Ok(None) => return "the server closed the stream".to_owned(),
            Err(_) => return format!("no data for {} s", READ_TIMEOUT.as_secs()),
        };
        match parser.push(&bytes) {
            Ok(events) => events.iter().for_each(|event| hear(event, inbox)),
            Err(reason) => return reason,
        }
    }
}

fn hear(event: &Event, inbox: &Inbox) {
    match event.kind.as_str() {
        "car" => {
            // Only the latest message counts, so one that is not valid JSON is ignored.
            if let Ok(message) = serde_json::from_str::<Value>(&event.data) {
                inbox.car(Car::of(&message["data"]));
            }
        }
        "lap_opened" | "sector_closed" | "conditions_changed" | "stint" => {}
        "standings" => inbox.cars_changed(),
        _ => inbox.changed(),
    }
}
