//! `gametape top`

use std::path::PathBuf;

use anyhow::Context as _;
use gametape::sys::Prefix;

use super::record::parse_prefix;
use crate::exit::{self, Outcome};
use crate::http_address::{HttpAddress, is_token};
use crate::top::{Http, Options, Target, run as show};

/// Environment variable with the token for the server.
const TOKEN: &str = "GAMETAPE_TOKEN";

/// Watch live in the terminal: the car, sessions, laps, lap comparison, tapes
///
/// Connects to the recorder that runs on this machine; if none is running, shows the store. Tapes can be played from here, like with
/// `gametape play`. Works over SSH, in small terminals, without colours (NO_COLOR) and without UTF-8. Press ? for the keys.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape top
  gametape top --server http://rig:7223          with the token from GAMETAPE_TOKEN or --token-file
  gametape top --store demo                      laps of `gametape demo`, without a server
  NO_COLOR=1 gametape top")]
pub(crate) struct Args {
    /// Address of a gametape server [default: the one on this machine]
    #[arg(long, value_name = "URL")]
    server: Option<String>,
    /// File with a token for the server, with read scope
    #[arg(long, value_name = "FILE", requires = "server")]
    token_file: Option<PathBuf>,
    /// Read this store instead of connecting to a server: a file, postgres://… or demo
    #[arg(long, value_name = "URL", conflicts_with = "server")]
    store: Option<String>,
    /// Enable the mouse: clicks and wheel
    #[arg(long)]
    mouse: bool,
    /// Prefix of the shared-memory names for playback [default: none, like the games]
    #[arg(long, value_name = "PREFIX", value_parser = parse_prefix)]
    names: Option<Prefix>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let target = match (&args.server, &args.store) {
        (Some(url), _) => {
            let address = HttpAddress::parse(url).map_err(exit::usage)?;
            Target::Server(Http { address, token: token(args)? })
        }
        (None, Some(store)) => Target::Store(store.clone()),
        (None, None) => Target::Here,
    };
    show(Options { target, mouse: args.mouse, names: args.names.clone().unwrap_or_default() })
}

fn token(args: &Args) -> anyhow::Result<Option<String>> {
    let token = match &args.token_file {
        Some(path) => Some(std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?),
        None => std::env::var(TOKEN).ok().filter(|token| !token.trim().is_empty()),
    };
    match token.map(|token| token.trim().to_owned()) {
        Some(token) if !is_token(&token) => {
            let place = args.token_file.as_ref().map_or_else(|| TOKEN.to_owned(), |path| path.display().to_string());
            Err(exit::usage(format!(
                "{place} contains no valid token; make one on the server with `gametape token add`"
            )))
        }
        token => Ok(token),
    }
}
