//! `gametape token`

use std::io::Write;

use clap::{Subcommand, ValueEnum};
use gametape::laps::Id;
use gametape::names::utc_text;
use gametape::store::{Scope, Store, Token};
use serde::Serialize;

use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::{human, store};

/// Manage access tokens, for remote clients and for edits
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape token add rig --scope write
  gametape token list
  gametape token revoke rig
  curl -H \"Authorization: Bearer gametape_…\" http://host:7223/api/v1/laps")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    /// Store: a file or postgres://… [env: GAMETAPE_STORE]
    #[arg(long, value_name = "URL", global = true)]
    store: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Create a token and print it; it cannot be printed again
    Add {
        /// What the token is for
        #[arg(value_parser = parse_name)]
        name: String,
        /// What the token allows
        #[arg(long, value_enum, default_value_t = ScopeArg::Read)]
        scope: ScopeArg,
    },
    /// List all tokens, without their secrets
    List {
        /// Print one JSON document to stdout
        #[arg(long)]
        json: bool,
    },
    /// Revoke a token
    Revoke {
        /// Its name or id, as printed by `list`
        #[arg(value_name = "NAME|ID")]
        token: String,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScopeArg {
    /// Read everything
    Read,
    /// Read and edit
    Write,
}

#[derive(Debug, Serialize)]
struct Report {
    tokens: Vec<ReportToken>,
}

#[derive(Debug, Serialize)]
struct ReportToken {
    id: String,
    name: String,
    scope: &'static str,
    created_utc: Option<String>,
    used_utc: Option<String>,
    revoked_utc: Option<String>,
}

impl From<Token> for ReportToken {
    fn from(token: Token) -> Self {
        let utc = |us: i64| us.checked_mul(1000).and_then(utc_text);
        Self {
            id: token.id.to_string(),
            name: token.name,
            scope: token.scope.as_str(),
            created_utc: utc(token.created_us),
            used_utc: token.used_us.and_then(utc),
            revoked_utc: token.revoked_us.and_then(utc),
        }
    }
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let store = store::open(args.store.as_deref())?;
    let mut out = crate::terminal::data();
    match &args.action {
        Action::Add { name, scope } => {
            let scope = match scope {
                ScopeArg::Read => Scope::Read,
                ScopeArg::Write => Scope::Write,
            };
            let (token, secret) = store.add_token(name, scope)?;
            tell(&format!(
                "token {} ({}) for {}; store it now, it is not shown again:",
                token.id,
                scope.as_str(),
                token.name
            ));
            writeln!(out, "{secret}")?;
        }
        Action::List { json } => {
            let tokens: Vec<_> = store.tokens()?.into_iter().map(ReportToken::from).collect();
            match json {
                true => writeln!(out, "{}", serde_json::to_string_pretty(&Report { tokens })?)?,
                false => tokens.iter().try_for_each(|token| writeln!(out, "{}", line(token)))?,
            }
        }
        Action::Revoke { token } => {
            let token = find(&store.tokens()?, token)?;
            store.revoke_token(token.id)?;
            tell(&format!("revoked {} ({})", human::safe(&token.name), token.id));
        }
    }
    Ok(Outcome::Done)
}

/// Finds a token by name or id. A name that several valid tokens share is an error.
fn find(tokens: &[Token], meant: &str) -> anyhow::Result<Token> {
    if let Some(token) = Id::parse(meant).and_then(|id| tokens.iter().find(|token| token.id == id)) {
        return Ok(token.clone());
    }
    let named: Vec<&Token> = tokens.iter().filter(|token| token.name == meant).collect();
    let valid: Vec<&Token> = named.iter().copied().filter(|token| token.revoked_us.is_none()).collect();
    match (valid.as_slice(), named.first()) {
        ([token], _) => Ok((*token).clone()),
        ([], Some(token)) => Ok((*token).clone()),
        ([], None) => Err(exit::nothing_found(format!(
            "there is no token {}; `gametape token list` lists them",
            human::safe(meant)
        ))),
        (several, _) => {
            let ids: Vec<String> = several.iter().map(|token| token.id.to_string()).collect();
            Err(exit::usage(format!(
                "{} tokens are named {}; name one by its id: {}",
                ids.len(),
                human::safe(meant),
                ids.join(", ")
            )))
        }
    }
}

/// Parses the name of a token.
fn parse_name(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("a token needs a name, to identify and revoke it".to_owned()),
        name => Ok(name.to_owned()),
    }
}

fn line(token: &ReportToken) -> String {
    let day =
        |time: &Option<String>| time.as_deref().and_then(|time| time.split('T').next()).unwrap_or("never").to_owned();
    let revoked = token.revoked_utc.is_some().then(|| format!("  revoked {}", day(&token.revoked_utc)));
    format!(
        "{}  {:5}  created {}  used {}  {}{}",
        token.id,
        token.scope,
        day(&token.created_utc),
        day(&token.used_utc),
        human::safe(&token.name),
        revoked.unwrap_or_default()
    )
}
