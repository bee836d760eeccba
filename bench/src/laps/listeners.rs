//! Many concurrent WebSockets on a `gametape demo`: the rate at which each receives car states, and whether each
//! receives every event once.
//!
//! All clients run on one thread of this process: on a machine with two CPUs, the server has the other one.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use futures_util::StreamExt as _;
use tokio::net::TcpStream;
use tokio::task::LocalSet;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::figures::{Figure, quantile};
use super::listener::Heard;
use super::server::Server;
use super::{say, system};

const PART: &str = "listeners";
const HZ: u32 = 20;
/// Maximum relative deviation of a client.
const OFF: f64 = 0.05;
/// Time between the last connection and the start of the measurement.
const SETTLE: Duration = Duration::from_secs(2);
/// Maximum time until the last event has arrived everywhere.
const DRAIN: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(30);
/// Enough for a message; the default would take 128 MB for all clients.
const READ_BUFFER: usize = 8 << 10;

type Socket = WebSocketStream<TcpStream>;

/// State shared by all clients.
#[derive(Default)]
struct Shared {
    /// Whether the measurement is running.
    counting: Cell<bool>,
    gone: Cell<u64>,
}

async fn connect(address: SocketAddr, hz: u32, since: u64) -> Result<Socket> {
    let socket = TcpStream::connect(address).await?;
    socket.set_nodelay(true)?;
    let url = format!("ws://{address}/api/v1/live?car={hz}&since={since}");
    let config = WebSocketConfig::default().read_buffer_size(READ_BUFFER);
    Ok(client_async_with_config(url, socket, Some(config)).await?.0)
}

/// Returns the sequence number of the newest event: a client that requests events that are no longer kept is told where
/// to continue.
async fn newest(address: SocketAddr) -> Result<u64> {
    let mut socket = connect(address, HZ, 0).await?;
    while let Some(message) = socket.next().await {
        let Message::Text(text) = message? else { continue };
        let message: serde_json::Value = serde_json::from_str(&text)?;
        if let Some(seq) = message["seq"].as_u64() {
            return Ok(seq);
        }
    }
    anyhow::bail!("the stream ended")
}

async fn listen(mut socket: Socket, heard: Rc<RefCell<Heard>>, shared: Rc<Shared>) {
    while let Some(Ok(message)) = socket.next().await {
        if let Message::Text(text) = message {
            heard.borrow_mut().hear(&text, Instant::now(), shared.counting.get());
        }
    }
    shared.gone.set(shared.gone.get() + 1);
}

/// Results of all clients.
pub(crate) struct Listened {
    pub(crate) heard: Vec<Heard>,
    pub(crate) gone: u64,
    pub(crate) seconds: f64,
    connect_s: f64,
    /// CPU usage of the server, in percent of one core.
    pub(crate) processor: f64,
    /// Number of events sent.
    events: u64,
}

async fn all(server: &Server, clients: u32, hz: u32, seconds: u64) -> Result<Listened> {
    let address = server.address();
    let since = tokio::time::timeout(PATIENCE, newest(address)).await.context("no first message")??;
    let (shared, start) = (Rc::new(Shared::default()), Instant::now());
    let mut heard = Vec::new();
    for number in 0..clients {
        let socket = tokio::time::timeout(PATIENCE, connect(address, hz, since)).await;
        let socket =
            socket.context("no answer").and_then(|socket| socket).with_context(|| format!("client {number}"))?;
        let own = Rc::new(RefCell::new(Heard::since(since)));
        heard.push(Rc::clone(&own));
        tokio::task::spawn_local(listen(socket, own, Rc::clone(&shared)));
    }
    let connect_s = start.elapsed().as_secs_f64();
    tokio::time::sleep(SETTLE).await;
    let (start, processor_s) = (Instant::now(), server.processor_s()?);
    shared.counting.set(true);
    tokio::time::sleep(Duration::from_secs(seconds)).await;
    shared.counting.set(false);
    let measured_s = start.elapsed().as_secs_f64();
    let processor = (server.processor_s()? - processor_s) * 100.0 / measured_s;
    // Every event that one client has received must reach all others soon.
    let last = heard.iter().map(|heard| heard.borrow().last).max().unwrap_or(since);
    let drained = Instant::now();
    while heard.iter().any(|heard| heard.borrow().last < last) && drained.elapsed() < DRAIN {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let heard: Vec<Heard> = heard.iter().map(|heard| heard.replace(Heard::since(0))).collect();
    Ok(Listened { gone: shared.gone.get(), seconds: measured_s, connect_s, processor, events: last - since, heard })
}

/// Starts the demo and lets this many clients subscribe to car states at this rate.
pub(crate) fn listen_to_demo(program: &Path, clients: u32, hz: u32, seconds: u64) -> Result<Listened> {
    // Each client has a socket here and one in the server, which inherits the limit of this process.
    system::raise_open_file_limit(u64::from(clients) + 200)?;
    let folder = tempfile::tempdir()?;
    let server = Server::demo(program, folder.path(), 1)?;
    say(&format!("{clients} clients listen for {seconds} s"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let listened = LocalSet::new().block_on(&runtime, all(&server, clients, hz, seconds))?;
    drop(runtime);
    server.end()?;
    Ok(listened)
}

/// Measures.
pub(super) fn measure(program: &Path, clients: u32, seconds: u64) -> Result<Vec<Figure>> {
    let listened = listen_to_demo(program, clients, HZ, seconds)?;
    ensure!(!listened.heard.is_empty(), "no client was connected");
    Ok(figures(&listened))
}

fn figures(listened: &Listened) -> Vec<Figure> {
    let heard = &listened.heard;
    let mut rates: Vec<f64> = heard.iter().map(|heard| heard.cars as f64 / listened.seconds).collect();
    rates.sort_by(f64::total_cmp);
    let mut gaps_ms: Vec<f64> = heard.iter().flat_map(|heard| &heard.gaps_us).map(|us| f64::from(*us) / 1e3).collect();
    gaps_ms.sort_by(f64::total_cmp);
    let rate = |what: &str, share: f64| Figure::new(PART, what, quantile(&rates, share), "/s").digits(2);
    let gap = |what: &str, share: f64| Figure::new(PART, what, quantile(&gaps_ms, share), "ms").digits(1);
    let sum = |of: fn(&Heard) -> u64| heard.iter().map(of).sum::<u64>();
    // A client has all events if it received as many as there were, none skipped and none twice. Later events are not
    // counted.
    let has_all = |heard: &&Heard| heard.missed == 0 && heard.twice == 0 && heard.events >= listened.events;
    let late = heard.iter().map(|heard| listened.events.saturating_sub(heard.events + heard.missed)).sum::<u64>();
    let [least, most] = [1.0 - OFF, 1.0 + OFF].map(|off| f64::from(HZ) * off);
    vec![
        Figure::count(PART, "clients", heard.len()),
        Figure::new(PART, "  connected in", listened.connect_s, "s").digits(2),
        Figure::count(PART, "  that were let go", listened.gone).exactly(0.0),
        Figure::new(PART, "  listened for", listened.seconds, "s").digits(1),
        rate("car messages, median of the clients", 0.5).between(least, most),
        rate("  the client with the fewest", 0.0).between(least, most),
        rate("  the client with the most", 1.0).between(least, most),
        gap("gap between two car messages, p50", 0.5),
        gap("gap between two car messages, p99", 0.99),
        gap("gap between two car messages, the most", 1.0),
        Figure::count(PART, "numbered events", listened.events).at_least(1.0),
        Figure::count(PART, "  clients that got each once", heard.iter().filter(has_all).count())
            .exactly(heard.len() as f64),
        Figure::count(PART, "  left out, of all clients", sum(|heard| heard.missed) + late).exactly(0.0),
        Figure::count(PART, "  came twice, of all clients", sum(|heard| heard.twice)).exactly(0.0),
        Figure::count(PART, "messages that are none", sum(|heard| heard.nonsense)).exactly(0.0),
        Figure::new(PART, "processor of the server, recording included", listened.processor, "% of one core").digits(1),
    ]
}
