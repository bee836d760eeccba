//! Arguments that name the server to send to, for every command that can.

use std::path::PathBuf;

use anyhow::Context as _;

use super::Upstream;
use crate::exit;

/// Environment variable with the token for the upstream.
const UPSTREAM_TOKEN: &str = "GAMETAPE_UPSTREAM_TOKEN";

/// Another gametape server.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct UpstreamArgs {
    /// Send sessions and tapes to this gametape server too; the token is in GAMETAPE_UPSTREAM_TOKEN or a file
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// File with the token for the upstream, of write scope there
    #[arg(long, value_name = "FILE", requires = "upstream")]
    upstream_token_file: Option<PathBuf>,
}

impl UpstreamArgs {
    /// The server that laps and tapes are sent to, if one was named.
    pub(crate) fn read(&self) -> anyhow::Result<Option<Upstream>> {
        let Some(url) = &self.upstream else { return Ok(None) };
        let token = match &self.upstream_token_file {
            Some(path) => std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?,
            None => std::env::var(UPSTREAM_TOKEN).map_err(|_| {
                exit::usage(format!(
                    "--upstream needs a token: set {UPSTREAM_TOKEN}, or name a file with --upstream-token-file"
                ))
            })?,
        };
        Upstream::new(url, token.trim().to_owned()).map(Some).map_err(exit::usage)
    }
}
