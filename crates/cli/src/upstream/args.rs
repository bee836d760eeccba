//! Arguments that name an upstream server, shared by all commands that can push to one.

use std::path::PathBuf;

use anyhow::Context as _;

use super::Upstream;
use crate::exit;

/// Environment variable with the token for the upstream.
const UPSTREAM_TOKEN: &str = "GAMETAPE_UPSTREAM_TOKEN";

/// Another gametape server.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct UpstreamArgs {
    /// Also send sessions and tapes to this gametape server; needs a token in GAMETAPE_UPSTREAM_TOKEN or a file
    #[arg(long, value_name = "URL")]
    upstream: Option<String>,
    /// File with the token for the upstream server, with write scope
    #[arg(long, value_name = "FILE", requires = "upstream")]
    upstream_token_file: Option<PathBuf>,
}

impl UpstreamArgs {
    /// Returns the upstream server, if one was named.
    pub(crate) fn read(&self) -> anyhow::Result<Option<Upstream>> {
        let Some(url) = &self.upstream else { return Ok(None) };
        let token = match &self.upstream_token_file {
            Some(path) => std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?,
            None => std::env::var(UPSTREAM_TOKEN).map_err(|_| {
                exit::usage(format!(
                    "--upstream needs a token; set {UPSTREAM_TOKEN}, or name a file with --upstream-token-file"
                ))
            })?,
        };
        Upstream::new(url, token.trim().to_owned()).map(Some).map_err(exit::usage)
    }
}
