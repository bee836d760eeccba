//! `gametape token`

use std::io::Write;

use clap::{Subcommand, ValueEnum};
use gametape::laps::Id;
use gametape::names::utc_text;
use gametape::store::{Scope, Store, StoreError, Token};
use serde::Serialize;

use crate::cli::tell;
use crate::exit::{self, Outcome};
use crate::store;

/// Tokens: who may use the server from elsewhere, or change things
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  gametape token add rig --scope write
  gametape token list
  gametape token revoke 0123456789abcdef0123456789abcdef
  curl -H \"Authorization: Bearer gametape_…\" http://host:7223/api/v1/laps")]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
    /// Store: a file, or postgres://…; GAMETAPE_STORE means the same
    #[arg(long, value_name = "URL", global = true)]
    store: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a token and print it; it cannot be printed again
    Add {
        /// What it is for
        name: String,
        /// What it allows
        #[arg(long, value_enum, default_value_t = ScopeArg::Read)]
        scope: ScopeArg,
    },
    /// All tokens, without their secrets
    List {
        /// One JSON document on stdout
        #[arg(long)]
        json: bool,
    },
    /// Make a token worthless
    Revoke {
        /// Its id, as `list` prints it
        id: String,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScopeArg {
    /// To see all
    Read,
    /// To change things too
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
    let mut out = std::io::stdout().lock();
    match &args.action {
        Action::Add { name, scope } => {
            let scope = match scope {
                ScopeArg::Read => Scope::Read,
                ScopeArg::Write => Scope::Write,
            };
            let (token, secret) = store.add_token(name, scope)?;
            tell(&format!(
                "token {} ({}) for {}; keep it, it is not shown again:",
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
        Action::Revoke { id } => {
            let wrong = || exit::usage(format!("{id} is no id of a token; `gametape token list` prints them"));
            match store.revoke_token(Id::parse(id).ok_or_else(wrong)?) {
                Err(StoreError::NotFound { .. }) => return Err(exit::nothing_found(format!("there is no token {id}"))),
                done => done?,
            }
            tell("revoked");
        }
    }
    Ok(Outcome::Done)
}

fn line(token: &ReportToken) -> String {
    let day =
        |time: &Option<String>| time.as_deref().and_then(|time| time.split('T').next()).unwrap_or("never").to_owned();
    let revoked = token.revoked_utc.is_some().then(|| format!("  revoked {}", day(&token.revoked_utc)));
    format!(
        "{}  {:5}  made {}  used {}  {}{}",
        token.id,
        token.scope,
        day(&token.created_utc),
        day(&token.used_utc),
        token.name,
        revoked.unwrap_or_default()
    )
}
