//! Opens the store that a command works on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use gametape::store::{Pauses, QueuedStore, SqlStore, Store, is_server, outbox_name};

use crate::open::folders;

/// Environment variable that names the store.
pub(crate) const STORE: &str = "GAMETAPE_STORE";

/// The name of the store of `gametape demo`.
pub(crate) const DEMO: &str = "demo";

/// Returns the named store, the store of the environment variable, or the user's default file.
fn place(named: Option<&str>) -> anyhow::Result<String> {
    if named == Some(DEMO) {
        return path_text(folders()?.demo_store());
    }
    if let Some(named) = named.map(str::to_owned).or_else(|| std::env::var(STORE).ok()).filter(|name| !name.is_empty())
    {
        return Ok(named);
    }
    path_text(folders()?.store)
}

fn path_text(path: PathBuf) -> anyhow::Result<String> {
    let shown = path.display().to_string();
    path.into_os_string()
        .into_string()
        .ok()
        .with_context(|| format!("the path {shown} is not valid Unicode; name another store with --store"))
}

/// Opens a store for reading and for edits.
pub(crate) fn open(named: Option<&str>) -> anyhow::Result<SqlStore> {
    Ok(gametape::store::open(&place(named)?)?)
}

/// Opens a store if it exists; does not create a file.
pub(crate) fn open_if_there(named: Option<&str>) -> anyhow::Result<Option<SqlStore>> {
    let place = place(named)?;
    let there = is_server(&place) || Path::new(&place).is_file();
    there.then(|| gametape::store::open(&place)).transpose().map_err(Into::into)
}

/// Opens a store for long-running commands: while a database server is unreachable, writes wait in an outbox file.
pub(crate) fn open_to_stay(named: Option<&str>) -> anyhow::Result<Arc<dyn Store>> {
    let place = place(named)?;
    match is_server(&place) {
        true => {
            let outbox = folders()?.outboxes.join(outbox_name(&place)?);
            Ok(Arc::new(QueuedStore::open(&place, outbox, Pauses::default())?))
        }
        false => Ok(Arc::new(SqlStore::sqlite(place)?)),
    }
}
