//! Access tokens for the server. The secret is shown once, at creation; the store keeps only its hash.

use std::fmt::Write as _;

use super::connection::Connection;
use super::edits::{LONGEST_NAME, check_text};
use super::error::StoreError;
use super::value::{Row, Value, needed};
use crate::identity::new_id;
use crate::laps::Id;

/// The prefix of each secret, so that a leaked one can be recognised.
const PREFIX: &str = "gametape_";
/// Minimum interval between updates of the time of last use. Recording each use would make every reader a writer.
const NOTE_AGAIN_US: i64 = 3_600_000_000;

/// The permissions of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// Read everything.
    Read,
    /// Read and write.
    Write,
}

impl Scope {
    /// All scopes.
    pub const ALL: &'static [Self] = &[Self::Read, Self::Write];

    /// Its name in commands and files.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }

    /// Returns the scope with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|word| word.as_str() == name)
    }
}

/// A token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// Its id, for revoking.
    pub id: Id,
    /// Its purpose, as described by the owner.
    pub name: String,
    /// Its permissions.
    pub scope: Scope,
    /// When it was created; UTC, microseconds since 1970.
    pub created_us: i64,
    /// When it was last used, to the hour.
    pub used_us: Option<i64>,
    /// When it was revoked.
    pub revoked_us: Option<i64>,
}

const COLUMNS: &str = "id, name, scope, created_us, used_us, revoked_us";

fn read(mut row: Row) -> Result<Token, StoreError> {
    Ok(Token {
        id: needed(row.id("a token id")?, "a token id")?,
        name: needed(row.text("a name")?, "a name")?,
        scope: row.known_word("a scope", Scope::parse)?,
        created_us: needed(row.number("a time")?, "a time")?,
        used_us: row.number("a time")?,
        revoked_us: row.number("a time")?,
    })
}

/// Returns the hash of a secret. A secret has 256 random bits, so a fast hash suffices.
fn hash(secret: &str) -> Value {
    Value::Bytes(blake3::hash(secret.as_bytes()).as_bytes().to_vec())
}

/// Creates a token. Returns its secret too, which cannot be retrieved again.
pub(super) fn add(
    db: &mut dyn Connection,
    name: &str,
    scope: Scope,
    now_us: i64,
) -> Result<(Token, String), StoreError> {
    check_text("the name", Some(&name.to_owned()), LONGEST_NAME)?;
    let mut random = [0; 32];
    getrandom::fill(&mut random).map_err(|error| StoreError::Open {
        store: "tokens".to_owned(),
        reason: format!("no random numbers available: {error}"),
    })?;
    let mut secret = PREFIX.to_owned();
    for byte in random {
        let _ = write!(secret, "{byte:02x}");
    }
    let id = Id(new_id().0);
    let values = [id.into(), Value::from(name), Value::from(scope.as_str()), hash(&secret), now_us.into()];
    db.execute("INSERT INTO tokens (id, name, scope, hash, created_us) VALUES (?1, ?2, ?3, ?4, ?5)", &values)?;
    let token = Token { id, name: name.to_owned(), scope, created_us: now_us, used_us: None, revoked_us: None };
    Ok((token, secret))
}

/// Returns the token with this secret, unless it was revoked.
pub(super) fn with_secret(db: &mut dyn Connection, secret: &str, now_us: i64) -> Result<Option<Token>, StoreError> {
    if !secret.starts_with(PREFIX) {
        return Ok(None);
    }
    let sql = format!("SELECT {COLUMNS} FROM tokens WHERE hash = ?1 AND revoked_us IS NULL");
    let token = db.first(&sql, &[hash(secret)], read)?;
    if let Some(token) = &token
        && token.used_us.is_none_or(|used_us| now_us - used_us > NOTE_AGAIN_US)
    {
        db.execute("UPDATE tokens SET used_us = ?2 WHERE id = ?1", &[token.id.into(), now_us.into()])?;
    }
    Ok(token)
}

/// Returns all tokens, including revoked ones, oldest first.
pub(super) fn all(db: &mut dyn Connection) -> Result<Vec<Token>, StoreError> {
    db.all(&format!("SELECT {COLUMNS} FROM tokens ORDER BY created_us, id"), &[], read)
}

/// Revokes a token permanently.
pub(super) fn revoke(db: &mut dyn Connection, id: Id, now_us: i64) -> Result<(), StoreError> {
    let sql = "UPDATE tokens SET revoked_us = coalesce(revoked_us, ?2) WHERE id = ?1";
    match db.execute(sql, &[id.into(), now_us.into()])? {
        0 => Err(StoreError::NotFound { what: "token", id: id.to_string() }),
        _ => Ok(()),
    }
}
