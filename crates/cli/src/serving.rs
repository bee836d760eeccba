//! Runs the server beside the rest of the process: takes a store and an address, returns the address it listens on.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::anyhow;
use gametape::store::Store;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use crate::server::{Access, AppState, Capacity, Limits, serve};

/// The default port of the server and the dashboard.
pub(crate) const PORT: u16 = 7223;
/// The number of ports to try, from the default port on.
const NEXT_PORTS: u16 = 20;

/// The address to listen on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bind {
    pub(crate) address: IpAddr,
    /// If `None`, the first free port from 7223 on.
    pub(crate) port: Option<u16>,
}

impl Default for Bind {
    /// The loopback address.
    fn default() -> Self {
        Self { address: Ipv4Addr::LOCALHOST.into(), port: None }
    }
}

/// Parses the value of `--bind`.
pub(crate) fn parse_bind(text: &str) -> Result<Bind, String> {
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(Bind { address: address.ip(), port: Some(address.port()) });
    }
    match text.parse::<IpAddr>() {
        Ok(address) => Ok(Bind { address, port: None }),
        Err(_) => Err("not an address like 127.0.0.1, 0.0.0.0:7223 or [::1]:7223".to_owned()),
    }
}

/// Where to listen, and whether this machine needs tokens too: the options that `gametape`, `demo` and `serve` share.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub(crate) struct Reach {
    /// Address to serve laps on: IP or IP:PORT [default: 127.0.0.1 and the first free port from 7223 on]
    #[arg(long, value_name = "ADDR", value_parser = parse_bind)]
    pub(crate) bind: Option<Bind>,
    /// Require a token for every request, also from this machine; otherwise other users of this machine can read and edit everything
    #[arg(long)]
    pub(crate) require_token: bool,
}

impl Reach {
    /// Whether the user asked for a server, rather than got the one that comes with a recording.
    pub(crate) fn is_chosen(self) -> bool {
        self.bind.is_some() || self.require_token
    }

    /// Access with these options; the rest as usual.
    pub(crate) fn access(self) -> Access {
        Access { require_token: self.require_token, ..Access::default() }
    }
}

/// A running server.
pub(crate) struct Serving {
    address: SocketAddr,
    state: AppState,
    runtime: Runtime,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Serving {
    /// Starts listening and serving. Fills the port, and whether the address is loopback, into `access`.
    pub(crate) fn start(bind: Bind, store: Arc<dyn Store>, access: Access, limits: Limits) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().thread_name("gametape-serve").enable_all().build()?;
        let listener = runtime.block_on(listen(bind))?;
        let address = listener.local_addr()?;
        let access = Access { loopback: address.ip().is_loopback(), port: address.port(), ..access };
        let state = AppState::new(store, access, limits);
        // Recording needs file handles too, so the number of client connections is limited to leave some.
        let capacity = Capacity::within(gametape::sys::raise_open_files());
        let serving = runtime.spawn(serve(listener, state.clone(), capacity));
        Ok(Self { address, state, runtime, serving })
    }

    /// Returns the address it listens on.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the state that the handlers share, to publish events through it.
    pub(crate) fn state(&self) -> &AppState {
        &self.state
    }

    /// Shuts the server down: notifies clients, then waits a short time for responses in flight.
    pub(crate) fn end(self) -> anyhow::Result<()> {
        self.state.oversight.shut_down();
        self.state.playback.end();
        self.runtime.block_on(self.serving)??;
        // The last request may have started a playback.
        self.state.playback.end();
        self.runtime.shutdown_background();
        Ok(())
    }
}

/// Binds the named port, or the first free one.
async fn listen(bind: Bind) -> anyhow::Result<TcpListener> {
    if let Some(port) = bind.port {
        let address = SocketAddr::new(bind.address, port);
        return TcpListener::bind(address)
            .await
            .map_err(|error| anyhow!("cannot listen on {address}: {error}; name another address with --bind"));
    }
    for port in PORT..PORT + NEXT_PORTS {
        match TcpListener::bind(SocketAddr::new(bind.address, port)).await {
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {}
            listener => {
                return listener.map_err(|error| {
                    anyhow!("cannot listen on {}: {error}; name another address with --bind", bind.address)
                });
            }
        }
    }
    anyhow::bail!("ports {PORT} to {} are all in use; name a free one with --bind IP:PORT", PORT + NEXT_PORTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_and_without_port() {
        assert_eq!(parse_bind("127.0.0.1").unwrap().port, None);
        assert_eq!(parse_bind("[::1]:80").unwrap(), Bind { address: "::1".parse().unwrap(), port: Some(80) });
        assert_eq!(parse_bind("::").unwrap().port, None);
        for wrong in ["", "localhost:80", "1.2.3.4:99999", "1.2.3"] {
            assert!(parse_bind(wrong).is_err(), "{wrong}");
        }
    }
}
