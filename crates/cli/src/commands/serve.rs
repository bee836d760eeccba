//! `gametape serve`

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use gametape::store::Store;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::server::{Access, AppState, Limits, app, serve};
use crate::stop::Stop;
use crate::store;

/// The port of the server, and of the dashboard.
const PORT: u16 = 7223;
/// Ports behind it that are tried when it is taken.
const NEXT_PORTS: u16 = 20;
/// How often the end is looked for.
const LOOK: Duration = Duration::from_millis(50);

/// Serve sessions, laps and bests as JSON over HTTP
///
/// Listens on this machine alone unless --bind says otherwise. A wider address needs tokens (`gametape token add`), or --public, which
/// lets anyone see what is public and nothing else. What there is to ask is described at /openapi.json.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape serve
  curl http://127.0.0.1:7223/api/v1/sessions
  gametape serve --bind 0.0.0.0:7223 --public
  gametape serve --store postgres://gametape@localhost/laps")]
pub(crate) struct Args {
    /// Address to listen on: IP or IP:PORT; the next free port if it is left out and 7223 is taken
    #[arg(long, value_name = "ADDR", value_parser = parse_bind)]
    bind: Option<Bind>,
    /// Let anyone see what is public, without a token
    #[arg(long)]
    public: bool,
    /// Store: a file, or postgres://…; GAMETAPE_STORE means the same
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Requests a minute of a client without a token
    #[arg(long, value_name = "N", default_value_t = Limits::default().anyone)]
    rate: u32,
    /// Requests a minute of a client with a token
    #[arg(long, value_name = "N", default_value_t = Limits::default().token)]
    token_rate: u32,
    /// Requests a minute of this machine
    #[arg(long, value_name = "N", default_value_t = Limits::default().loopback)]
    loopback_rate: u32,
    /// A proxy whose X-Forwarded-For is believed; may be given several times
    #[arg(long, value_name = "IP")]
    trusted_proxy: Vec<IpAddr>,
    /// An origin whose pages may read answers (https://laps.example); may be given several times
    #[arg(long, value_name = "ORIGIN")]
    cors: Vec<String>,
}

/// Where to listen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Bind {
    address: IpAddr,
    port: Option<u16>,
}

fn parse_bind(text: &str) -> Result<Bind, String> {
    if let Ok(address) = text.parse::<SocketAddr>() {
        return Ok(Bind { address: address.ip(), port: Some(address.port()) });
    }
    match text.parse::<IpAddr>() {
        Ok(address) => Ok(Bind { address, port: None }),
        Err(_) => Err("not an address like 127.0.0.1, 0.0.0.0:7223 or [::1]:7223".to_owned()),
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let bind = args.bind.unwrap_or(Bind { address: Ipv4Addr::LOCALHOST.into(), port: None });
    let store = store::open_to_stay(args.store.as_deref())?;
    if !bind.address.is_loopback() && !args.public && !has_token(store.as_ref())? {
        return Err(exit::usage(format!(
            "{} can be reached by others, and there is no token: make one with `gametape token add NAME`, or let anyone see what is public with --public",
            bind.address
        )));
    }
    let stop = Stop::listen_once()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve_until(args, bind, store, &stop))?;
    Ok(if stop.interrupted() { Outcome::Interrupted } else { Outcome::Done })
}

fn has_token(store: &dyn Store) -> anyhow::Result<bool> {
    Ok(store.tokens()?.iter().any(|token| token.revoked_us.is_none()))
}

async fn serve_until(args: &Args, bind: Bind, store: Arc<dyn Store>, stop: &Stop) -> anyhow::Result<()> {
    let listener = listen(bind).await?;
    let address = listener.local_addr()?;
    let access = Access {
        loopback: address.ip().is_loopback(),
        public: args.public,
        port: address.port(),
        trusted_proxies: args.trusted_proxy.iter().map(IpAddr::to_canonical).collect(),
        cors_origins: args.cors.clone(),
    };
    let limits = Limits { anyone: args.rate, token: args.token_rate, loopback: args.loopback_rate };
    tell(&format!("serving {} on http://{address}", store.name()));
    // Data goes to stdout: the address, for programs that start this one.
    writeln!(std::io::stdout().lock(), "http://{address}")?;
    let (end, ended) = watch::channel(false);
    let serving = tokio::spawn(serve(listener, app(AppState::new(store, access, limits)), ended));
    while !stop.wanted() {
        tokio::time::sleep(LOOK).await;
    }
    let _ = end.send(true);
    serving.await??;
    Ok(())
}

/// Takes the port that was named, or the first that is free from 7223 on.
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
