//! The live stream: a WebSocket if the client requests an upgrade, Server-Sent Events otherwise. Both carry the same messages.
//! `live_v2` handles `format=v2`.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, header};
use axum::response::Response;
use gametape::format::TapeId;
use gametape::store::Audience;
use serde::Deserialize;
use tokio::sync::watch;
use tokio::time::Instant;
use utoipa::{IntoParams, ToSchema};

use super::access::Caller;
use super::car_feed::{CarFeed, CarWatcher};
use super::clients::OpenStream;
use super::connection_slots::ConnectionSlot;
use super::error::{ApiError, Problem};
use super::live::Event;
use super::live_v2::{self, Following};
use super::oversight::{self, Overseen, UntilEnded};
use super::params::Params;
use super::reading::id_of;
use super::state::AppState;
use super::streaming::{self, Chunks};

/// The largest number of events fetched at once.
const BATCH: usize = 200;
/// Keep-alive interval, so that both ends notice a dead connection.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// How long a client may take to accept a message.
pub(super) const SEND_TIMEOUT: Duration = Duration::from_secs(20);

/// Selects the content of the live stream.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct LiveParams {
    /// The last `seq` that the client has, like `Last-Event-ID`. Default: only new events
    since: Option<u64>,
    /// Also send the state of the car, up to this many times a second: messages of kind `car`, without `seq`, of which only the
    /// latest counts
    #[param(minimum = 1, maximum = 60)]
    car: Option<u8>,
    /// Id of the tape whose car to follow if several are recorded at once. Default, and after that recording has ended: the
    /// recording that began last
    #[param(pattern = "^[0-9a-f]{32}$")]
    tape: Option<String>,
    /// Default: `json`. `v2` sends the frames being recorded as length-delimited Telemetry V2 envelopes, in binary messages or
    /// as the response body
    #[param(inline)]
    format: Option<LiveFormat>,
}

/// The format of the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum LiveFormat {
    /// Events, and states of the car.
    Json,
    /// Frames, as Telemetry V2.
    V2,
}

/// A message to send.
struct LiveMessage {
    /// Events have a number, states of the car do not.
    seq: Option<u64>,
    kind: &'static str,
    text: Utf8Bytes,
}

/// Watches the car at a limited rate.
struct CarPoller {
    car: CarWatcher,
    every: Duration,
    due: Instant,
}

impl CarPoller {
    async fn next(&mut self, feed: &CarFeed) -> LiveMessage {
        tokio::time::sleep_until(self.due).await;
        let text = self.car.next(feed).await;
        // Counted from the due time, not from the time of arrival, or 20 a second would become 19. A late client does not catch up.
        self.due = (self.due + self.every).max(Instant::now());
        LiveMessage { seq: None, kind: "car", text }
    }
}

/// Waits for events and returns them.
struct EventReader {
    state: AppState,
    audience: Audience,
    seq: u64,
    news: watch::Receiver<u64>,
    car_poller: Option<CarPoller>,
    /// Both are held while the stream is open.
    _open: OpenStream,
    _slot: Option<ConnectionSlot>,
}

impl EventReader {
    /// Returns the next messages; none after the keep-alive interval.
    async fn next(&mut self) -> Vec<LiveMessage> {
        loop {
            self.news.mark_unchanged();
            let (events, until) = self.state.hub.after(self.seq, self.audience, BATCH);
            let moved = until != self.seq;
            self.seq = until;
            if !events.is_empty() {
                return events.into_iter().map(LiveMessage::from).collect();
            }
            if moved {
                continue;
            }
            let (car_poller, feed) = (&mut self.car_poller, &self.state.car);
            let car = async move {
                match car_poller {
                    Some(car_poller) => car_poller.next(feed).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                news = self.news.changed() => if news.is_err() { return Vec::new() },
                car = car => return vec![car],
                () = tokio::time::sleep(KEEP_ALIVE) => return Vec::new(),
            }
        }
    }
}

impl From<Event> for LiveMessage {
    fn from(event: Event) -> Self {
        Self { seq: Some(event.seq), kind: event.kind.as_str(), text: event.text }
    }
}

/// Live stream of laps and edits, with sequence numbers.
#[utoipa::path(get, path = "/api/v1/live", tag = "live", params(LiveParams),
    responses((status = 200, description = "Server-Sent Events, or Telemetry V2 envelopes",
            content((String = "text/event-stream"), (Vec<u8> = "application/x-protobuf"))),
        (status = 101, description = "A WebSocket with the same messages"), (status = "4XX", body = Problem)))]
pub(super) async fn live(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    slot: Option<Extension<ConnectionSlot>>,
    headers: HeaderMap,
    Params(params): Params<LiveParams>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let audience = state.access.audience(caller)?;
    let slot = slot.map(|Extension(slot)| slot);
    let wants_socket = headers.get(header::UPGRADE).is_some();
    let envelopes = params.format == Some(LiveFormat::V2);
    if envelopes && (params.since.is_some() || params.car.is_some() || params.tape.is_some()) {
        return Err(ApiError::bad_request(
            "since, car and tape are only for format=json; format=v2 always sends all new frames",
        ));
    }
    if envelopes && audience != Audience::Owner {
        // Frames contain the names of all drivers.
        return Err(ApiError::token_needed());
    }
    // The owner and the public have separate numbers: see `Hub`.
    let last_id = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
    let seq = last_id.or(params.since).unwrap_or_else(|| state.hub.newest(audience));
    let tape = params.tape.as_deref().map(|tape| id_of(tape).map(|id| TapeId(id.0))).transpose()?;
    let car_poller = match params.car {
        None => None,
        Some(hz @ 1..=60) => {
            let every = Duration::from_secs(1) / u32::from(hz);
            Some(CarPoller { car: state.car.watch(audience, tape), every, due: Instant::now() })
        }
        Some(_) => return Err(ApiError::bad_request("car must be between 1 and 60 (messages a second)")),
    };
    let Some(open) = state.clients.open_stream(caller.client, caller.rate_class()) else {
        return Err(ApiError::too_many(60));
    };
    let overseen = Overseen::new(&state, caller, audience).await?;
    if envelopes {
        let following = Following::new(state.clone(), open, slot);
        return Ok(match socket(upgrade, wants_socket, &state, &headers)? {
            Some(upgrade) => upgrade.on_upgrade(move |socket| live_v2::talk(socket, following, overseen)),
            None => live_v2::body(UntilEnded::new(following, overseen, |_| None)),
        });
    }
    let listener = EventReader {
        news: state.hub.listen(audience),
        audience,
        seq,
        state: state.clone(),
        car_poller,
        _open: open,
        _slot: slot,
    };
    Ok(match socket(upgrade, wants_socket, &state, &headers)? {
        Some(upgrade) => upgrade.on_upgrade(move |socket| talk(socket, listener, overseen)),
        None => {
            let farewell = |why: &str| Some(Bytes::from(format!(": {why}\n\n")));
            streaming::answer(UntilEnded::new(listener, overseen, farewell), "text/event-stream")
        }
    })
}

/// Returns the WebSocket upgrade, if the client requests one.
fn socket(
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    wanted: bool,
    state: &AppState,
    headers: &HeaderMap,
) -> Result<Option<WebSocketUpgrade>, ApiError> {
    match upgrade {
        Ok(upgrade) => {
            // Browsers let any page open a WebSocket to any host, but send the page's origin.
            check_origin(state, headers)?;
            Ok(Some(upgrade.max_message_size(4 << 10).max_frame_size(4 << 10)))
        }
        Err(_) if wanted => Err(ApiError::bad_request("invalid WebSocket handshake")),
        Err(_) => Ok(None),
    }
}

fn check_origin(state: &AppState, headers: &HeaderMap) -> Result<(), ApiError> {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let Some(origin) = text(header::ORIGIN) else { return Ok(()) };
    let host = text(header::HOST).unwrap_or_default();
    let own = origin.split_once("://").is_some_and(|(_, authority)| authority.eq_ignore_ascii_case(host));
    match own || state.access.cors_origins.iter().any(|known| known == origin) {
        true => Ok(()),
        false => Err(ApiError::forbidden("pages of other origins may not open this stream")),
    }
}

/// Sends messages until the client disconnects or is too slow, or the stream has to end.
async fn talk(mut socket: WebSocket, mut listener: EventReader, mut overseen: Overseen) {
    let ending = tokio::select! {
        ending = overseen.ended() => ending,
        () = send_all(&mut socket, &mut listener) => return,
    };
    oversight::close(socket, ending).await;
}

async fn send_all(socket: &mut WebSocket, listener: &mut EventReader) {
    loop {
        tokio::select! {
            events = listener.next() => {
                let mut messages: Vec<_> = events.iter().map(|event| Message::Text(event.text.clone())).collect();
                if messages.is_empty() {
                    messages.push(Message::Ping(Bytes::new()));
                }
                for message in messages {
                    match tokio::time::timeout(SEND_TIMEOUT, socket.send(message)).await {
                        Ok(Ok(())) => {}
                        // Disconnects a slow consumer; it can resume with the number of its last event.
                        _ => return,
                    }
                }
            }
            heard = socket.recv() => match heard {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
        }
    }
}

impl Chunks for EventReader {
    async fn chunk(&mut self) -> Option<Bytes> {
        Some(as_event_stream(&self.next().await))
    }
}

fn as_event_stream(events: &[LiveMessage]) -> Bytes {
    if events.is_empty() {
        return Bytes::from_static(b": nothing new\n\n");
    }
    let mut out = String::new();
    for event in events {
        if let Some(seq) = event.seq {
            out.push_str(&format!("id: {seq}\n"));
        }
        out.push_str(&format!("event: {}\ndata: {}\n\n", event.kind, event.text.as_str()));
    }
    Bytes::from(out)
}
