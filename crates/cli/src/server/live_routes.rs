//! The live stream: a WebSocket if the client asks for one, Server-Sent Events otherwise. Both carry the same messages. With `format=v2` it is `live_v2`'s.

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
use super::error::{ApiError, Problem};
use super::in_pieces::{self, Pieces};
use super::live::Event;
use super::live_v2::{self, Following};
use super::oversight::{self, Overseen, UntilEnded};
use super::params::Params;
use super::places::Place;
use super::reading::id_of;
use super::state::AppState;

/// Events that are taken at once.
const BATCH: usize = 200;
/// A quiet stream says something this often, so that both ends notice a dead line.
pub(super) const QUIET: Duration = Duration::from_secs(15);
/// How long a client may take to accept a message.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// From where on.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct LiveParams {
    /// The last `seq` that the client has; from now on if left out. `Last-Event-ID` means the same
    since: Option<u64>,
    /// What the car does too, up to this often a second: messages of the kind `car`, without a `seq`, of which only the newest counts
    #[param(minimum = 1, maximum = 60)]
    car: Option<u8>,
    /// Which car, where several are recorded at once: the id of the tape. The one whose recording began last if left out, and after that recording has ended
    #[param(pattern = "^[0-9a-f]{32}$")]
    tape: Option<String>,
    /// `json` if left out. `v2` gives the frames that are being recorded, as length-delimited Telemetry V2 envelopes, in binary messages or as the body
    #[param(inline)]
    format: Option<LiveFormat>,
}

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum LiveFormat {
    /// Events, and states of the car.
    Json,
    /// Frames, as Telemetry V2.
    V2,
}

/// What is sent.
struct Told {
    /// Events have a number, states of the car have none.
    seq: Option<u64>,
    kind: &'static str,
    text: Utf8Bytes,
}

/// Looks on, not more often than it was asked to.
struct Looker {
    car: CarWatcher,
    every: Duration,
    due: Instant,
}

impl Looker {
    async fn next(&mut self, feed: &CarFeed) -> Told {
        tokio::time::sleep_until(self.due).await;
        let text = self.car.next(feed).await;
        // From when it was due and not from when it came, or 20 a second would be 19. Who fell behind does not catch up.
        self.due = (self.due + self.every).max(Instant::now());
        Told { seq: None, kind: "car", text }
    }
}

/// Waits for events and hands them out.
struct Listener {
    state: AppState,
    audience: Audience,
    seq: u64,
    news: watch::Receiver<u64>,
    looker: Option<Looker>,
    /// Both are held as long as somebody listens.
    _open: OpenStream,
    _place: Option<Place>,
}

impl Listener {
    /// What comes next; nothing after a quiet while.
    async fn next(&mut self) -> Vec<Told> {
        loop {
            self.news.mark_unchanged();
            let (events, until) = self.state.hub.after(self.seq, self.audience, BATCH);
            let moved = until != self.seq;
            self.seq = until;
            if !events.is_empty() {
                return events.into_iter().map(Told::from).collect();
            }
            if moved {
                continue;
            }
            let (looker, feed) = (&mut self.looker, &self.state.car);
            let car = async move {
                match looker {
                    Some(looker) => looker.next(feed).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                news = self.news.changed() => if news.is_err() { return Vec::new() },
                car = car => return vec![car],
                () = tokio::time::sleep(QUIET) => return Vec::new(),
            }
        }
    }
}

impl From<Event> for Told {
    fn from(event: Event) -> Self {
        Self { seq: Some(event.seq), kind: event.kind.as_str(), text: event.text }
    }
}

/// What happens now: edits and laps as they come, with sequence numbers.
#[utoipa::path(get, path = "/api/v1/live", tag = "live", params(LiveParams),
    responses((status = 200, description = "Server-Sent Events, or envelopes",
            content((String = "text/event-stream"), (Vec<u8> = "application/x-protobuf"))),
        (status = 101, description = "A WebSocket with the same messages"), (status = "4XX", body = Problem)))]
pub(super) async fn live(
    State(state): State<AppState>,
    Extension(caller): Extension<Caller>,
    place: Option<Extension<Place>>,
    headers: HeaderMap,
    Params(params): Params<LiveParams>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    let audience = state.access.audience(caller)?;
    let place = place.map(|Extension(place)| place);
    let wants_socket = headers.get(header::UPGRADE).is_some();
    let envelopes = params.format == Some(LiveFormat::V2);
    if envelopes && (params.since.is_some() || params.car.is_some() || params.tape.is_some()) {
        return Err(ApiError::bad_request(
            "since, car and tape are of the format json; v2 has all frames, from now on",
        ));
    }
    if envelopes && audience != Audience::Owner {
        // Frames have the names of everybody who drives.
        return Err(ApiError::token_needed());
    }
    // Both kinds of clients have numbers of their own: see `Hub`.
    let last_id = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
    let seq = last_id.or(params.since).unwrap_or_else(|| state.hub.newest(audience));
    let tape = params.tape.as_deref().map(|tape| id_of(tape).map(|id| TapeId(id.0))).transpose()?;
    let looker = match params.car {
        None => None,
        Some(hz @ 1..=60) => {
            let every = Duration::from_secs(1) / u32::from(hz);
            Some(Looker { car: state.car.watch(audience, tape), every, due: Instant::now() })
        }
        Some(_) => return Err(ApiError::bad_request("car is how often a second: 1 to 60")),
    };
    let Some(open) = state.clients.open_stream(caller.client, caller.asks()) else {
        return Err(ApiError::too_many(60));
    };
    let overseen = Overseen::new(&state, caller, audience).await?;
    if envelopes {
        let following = Following::new(state.clone(), open, place);
        return Ok(match socket(upgrade, wants_socket, &state, &headers)? {
            Some(upgrade) => upgrade.on_upgrade(move |socket| live_v2::talk(socket, following, overseen)),
            None => live_v2::body(UntilEnded::new(following, overseen, |_| None)),
        });
    }
    let listener = Listener {
        news: state.hub.listen(audience),
        audience,
        seq,
        state: state.clone(),
        looker,
        _open: open,
        _place: place,
    };
    Ok(match socket(upgrade, wants_socket, &state, &headers)? {
        Some(upgrade) => upgrade.on_upgrade(move |socket| talk(socket, listener, overseen)),
        None => {
            let farewell = |why: &str| Some(Bytes::from(format!(": {why}\n\n")));
            in_pieces::answer(UntilEnded::new(listener, overseen, farewell), "text/event-stream")
        }
    })
}

/// The socket that the client asks for, if it does.
fn socket(
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    wanted: bool,
    state: &AppState,
    headers: &HeaderMap,
) -> Result<Option<WebSocketUpgrade>, ApiError> {
    match upgrade {
        Ok(upgrade) => {
            // Browsers let any page open a socket to anywhere, and name the page.
            check_origin(state, headers)?;
            Ok(Some(upgrade.max_message_size(4 << 10).max_frame_size(4 << 10)))
        }
        Err(_) if wanted => Err(ApiError::bad_request("this is no proper WebSocket handshake")),
        Err(_) => Ok(None),
    }
}

fn check_origin(state: &AppState, headers: &HeaderMap) -> Result<(), ApiError> {
    let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let Some(origin) = text(header::ORIGIN) else { return Ok(()) };
    let host = text(header::HOST).unwrap_or_default();
    let own = origin.split_once("://").is_some_and(|(_, place)| place.eq_ignore_ascii_case(host));
    match own || state.access.cors_origins.iter().any(|known| known == origin) {
        true => Ok(()),
        false => Err(ApiError::forbidden("pages of other origins may not listen")),
    }
}

/// Sends messages until the client is gone or too slow, or the stream has to end.
async fn talk(mut socket: WebSocket, mut listener: Listener, mut overseen: Overseen) {
    let ending = tokio::select! {
        ending = overseen.ended() => ending,
        () = send_all(&mut socket, &mut listener) => return,
    };
    oversight::close(socket, ending).await;
}

async fn send_all(socket: &mut WebSocket, listener: &mut Listener) {
    loop {
        tokio::select! {
            events = listener.next() => {
                let mut messages: Vec<_> = events.iter().map(|event| Message::Text(event.text.clone())).collect();
                if messages.is_empty() {
                    messages.push(Message::Ping(Bytes::new()));
                }
                for message in messages {
                    match tokio::time::timeout(PATIENCE, socket.send(message)).await {
                        Ok(Ok(())) => {}
                        // A slow consumer is disconnected; it comes back with the number of the last event it has.
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

impl Pieces for Listener {
    async fn piece(&mut self) -> Option<Bytes> {
        Some(as_event_stream(&self.next().await))
    }
}

fn as_event_stream(events: &[Told]) -> Bytes {
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
