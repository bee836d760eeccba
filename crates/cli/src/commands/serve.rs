//! `gametape serve`

use std::io::Write;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::http::Uri;
use gametape::store::Store;
use gametape::sys::Prefix;

use super::record::{parse_prefix, rings};
use crate::catching_up::CatchingUp;
use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::open::folders;
use crate::server::{Access, Limits};
use crate::serving::{Reach, Serving};
use crate::stop::Stop;
use crate::store;
use crate::upstream::{Pushing, UpstreamArgs};

/// How often a stop request is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Serve the dashboard, sessions, laps and bests over HTTP
///
/// Listens only on this machine unless --bind is given. Any other address needs tokens (`gametape token add`), or --public, which
/// lets anyone read public data and nothing else. The API is described at /openapi.json.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape serve
  curl http://127.0.0.1:7223/api/v1/sessions
  gametape serve --bind 0.0.0.0:7223 --public
  gametape serve --store postgres://gametape@localhost/laps")]
pub(crate) struct Args {
    #[command(flatten)]
    reach: Reach,
    /// Let anyone read public data without a token
    #[arg(long, conflicts_with = "require_token")]
    public: bool,
    /// Store: a file, postgres://… or demo [env: GAMETAPE_STORE]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Requests per minute and client without a token
    #[arg(long, value_name = "N", default_value_t = Limits::default().anyone)]
    rate: u32,
    /// Requests per minute and client with a token
    #[arg(long, value_name = "N", default_value_t = Limits::default().token)]
    token_rate: u32,
    /// Requests per minute from this machine
    #[arg(long, value_name = "N", default_value_t = Limits::default().loopback)]
    loopback_rate: u32,
    /// A proxy whose X-Forwarded-For header is trusted; can be repeated
    #[arg(long, value_name = "IP")]
    trusted_proxy: Vec<IpAddr>,
    /// An origin that may read responses (https://laps.example); can be repeated
    #[arg(long, value_name = "ORIGIN", value_parser = parse_origin)]
    cors: Vec<String>,
    /// Prefix of the shared-memory names for playback started from the dashboard [default: none, like the games]
    #[arg(long, value_name = "PREFIX", value_parser = parse_prefix)]
    names: Option<Prefix>,
    #[command(flatten)]
    upstream: UpstreamArgs,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let bind = args.reach.bind.unwrap_or_default();
    let store = store::open_to_stay(args.store.as_deref())?;
    if !args.public {
        check_reach(args.reach, store.as_ref(), ", or let anyone read public data with --public")?;
    }
    let upstream = args.upstream.read()?;
    let stop = Stop::listen_once()?;
    let access = Access {
        public: args.public,
        trusted_proxies: args.trusted_proxy.iter().map(IpAddr::to_canonical).collect(),
        cors_origins: args.cors.clone(),
        ..args.reach.access()
    };
    let limits = Limits { anyone: args.rate, token: args.token_rate, loopback: args.loopback_rate };
    let serving = Serving::start(bind, Arc::clone(&store), access, limits)?;
    if let Some(prefix) = &args.names {
        serving.state().playback.under(prefix.clone());
    }
    let address = serving.address();
    tell(&format!("serving {} on http://{address}", store.name()));
    // Data goes to stdout: the address, for programs that start this one.
    writeln!(crate::terminal::data(), "http://{address}")?;
    let known = folders()?;
    let own = if args.store.as_deref() == Some(store::DEMO) { known.demo.clone() } else { known.tapes.clone() };
    serving.state().take_tapes(own.clone());
    let pushing =
        upstream.map(|upstream| Pushing::start(Arc::clone(&store), upstream, |text| tell(&text))).transpose()?;
    let catching_up = CatchingUp::start(store, vec![own], vec![rings(&known)], |text| tell(&text))?;
    while !stop.wanted() {
        std::thread::sleep(POLL_INTERVAL);
    }
    catching_up.stop();
    pushing.into_iter().for_each(Pushing::stop);
    serving.end()?;
    Ok(if stop.interrupted() { Outcome::Interrupted } else { Outcome::Done })
}

/// Refuses an address that is reachable from other machines, and `--require-token`, while there is no token to authorize anyone.
pub(super) fn check_reach(reach: Reach, store: &dyn Store, otherwise: &str) -> anyhow::Result<()> {
    let bind = reach.bind.unwrap_or_default();
    if (bind.address.is_loopback() && !reach.require_token) || has_token(store)? {
        return Ok(());
    }
    if bind.address.is_loopback() {
        return Err(exit::usage("--require-token needs at least one token; make one with `gametape token add NAME`"));
    }
    Err(exit::usage(format!(
        "{} can be reached from other machines, and there is no token; make one with `gametape token add NAME`{otherwise}",
        bind.address
    )))
}

/// Parses the value of `--cors`: one origin as browsers send it. Rejects `null`, the origin of every sandboxed page and local
/// file, and `*`, which is everyone.
fn parse_origin(text: &str) -> Result<String, String> {
    let wrong = || {
        "not an origin like https://laps.example or http://192.0.2.1:8080 (no path; `null`, `*` and empty are refused)"
            .to_owned()
    };
    let uri: Uri = text.parse().map_err(|_| wrong())?;
    let scheme = uri.scheme_str().filter(|scheme| ["http", "https"].contains(scheme)).ok_or_else(wrong)?;
    let authority = uri.authority().filter(|authority| !authority.as_str().contains('@')).ok_or_else(wrong)?;
    // Browsers send origins in lower case and without the default port.
    let host = authority.host().to_ascii_lowercase();
    let usual = if scheme == "https" { 443 } else { 80 };
    let origin = match authority.port_u16().filter(|port| *port != usual) {
        Some(port) => format!("{scheme}://{host}:{port}"),
        None => format!("{scheme}://{host}"),
    };
    let has_path = !text.ends_with(authority.as_str());
    if has_path || host.is_empty() || host.contains('*') { Err(wrong()) } else { Ok(origin) }
}

fn has_token(store: &dyn Store) -> anyhow::Result<bool> {
    Ok(store.tokens()?.iter().any(|token| token.revoked_us.is_none()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_single_origins_are_taken() {
        for (text, origin) in [
            ("https://laps.example", "https://laps.example"),
            ("https://Laps.Example:443", "https://laps.example"),
            ("http://192.0.2.1:8080", "http://192.0.2.1:8080"),
            ("http://[2001:db8::1]:8080", "http://[2001:db8::1]:8080"),
        ] {
            assert_eq!(parse_origin(text).as_deref(), Ok(origin));
        }
        for wrong in [
            "",
            " ",
            "null",
            "*",
            "https://*",
            "https://*.example",
            "laps.example",
            "https://",
            "https://laps.example/",
            "https://laps.example/x",
            "https://a.example?x",
            "https://user@laps.example",
            "file:///x",
            "ftp://laps.example",
        ] {
            assert!(parse_origin(wrong).is_err(), "{wrong:?}");
        }
    }
}
