//! A server that runs beside what else the process does: takes a store and an address, gives what it listens on.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use anyhow::Context;
use gametape::store::Store;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use crate::server::{Access, AppState, Capacity, Limits, serve};

/// The port of the server, and of the dashboard.
pub(crate) const PORT: u16 = 7223;
/// Ports behind it that are tried when it is taken.
const NEXT_PORTS: u16 = 20;

/// Where to listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bind {
    pub(crate) address: IpAddr,
    /// The first that is free from 7223 on, if none is named.
    pub(crate) port: Option<u16>,
}

impl Default for Bind {
    /// This machine alone.
    fn default() -> Self {
        Self { address: Ipv4Addr::LOCALHOST.into(), port: None }
    }
}

/// Reads what --bind says.
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
    /// Address to serve laps on: IP or IP:PORT; 127.0.0.1 and the first free port from 7223 on if left out
    #[arg(long, value_name = "ADDR", value_parser = parse_bind)]
    pub(crate) bind: Option<Bind>,
    /// Require a token for every request, also from this machine; other users of this machine can otherwise read and edit everything
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

/// A server at work.
pub(crate) struct Serving {
    address: SocketAddr,
    state: AppState,
    runtime: Runtime,
    serving: JoinHandle<std::io::Result<()>>,
}

impl Serving {
    /// Listens, and answers from now on. Whether it is on this machine alone, and its port, are filled into `access`.
    pub(crate) fn start(bind: Bind, store: Arc<dyn Store>, access: Access, limits: Limits) -> anyhow::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().thread_name("gametape-serve").enable_all().build()?;
        let listener = runtime.block_on(listen(bind))?;
        let address = listener.local_addr()?;
        let access = Access { loopback: address.ip().is_loopback(), port: address.port(), ..access };
        let state = AppState::new(store, access, limits);
        // Recording needs files too: clients never get so many connections that none are left.
        let capacity = Capacity::within(gametape::sys::raise_open_files());
        let serving = runtime.spawn(serve(listener, state.clone(), capacity));
        Ok(Self { address, state, runtime, serving })
    }

    /// What it listens on.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// What its handlers share: for those who have news.
    pub(crate) fn state(&self) -> &AppState {
        &self.state
    }

    /// Shuts it down: clients are told, and responses under way are waited for, but not for long.
    pub(crate) fn end(self) -> anyhow::Result<()> {
        self.state.oversight.shut_down();
        self.state.playback.end();
        self.runtime.block_on(self.serving)??;
        // One may have been started by the last request.
        self.state.playback.end();
        self.runtime.shutdown_background();
        Ok(())
    }
}

/// Takes the port that was named, or the first that is free.
async fn listen(bind: Bind) -> anyhow::Result<TcpListener> {
    if let Some(port) = bind.port {
        let address = SocketAddr::new(bind.address, port);
        return TcpListener::bind(address)
            .await
            .with_context(|| format!("cannot listen on {address}; name another with --bind"));
    }
    for port in PORT..PORT + NEXT_PORTS {
        match TcpListener::bind(SocketAddr::new(bind.address, port)).await {
            Err(error) if error.kind() == std::io::ErrorKind::AddrInUse => {}
            listener => {
                return listener
                    .with_context(|| format!("cannot listen on {}; name another with --bind", bind.address));
            }
        }
    }
    anyhow::bail!("ports {PORT} to {} are all taken; name one with --bind IP:PORT", PORT + NEXT_PORTS - 1)
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
