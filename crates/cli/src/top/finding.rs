//! Finds the server of the running recorder, and the file of a tape, on this machine.

use std::path::{Path, PathBuf};
use std::time::Duration;

use gametape::control::{ask, recorders};
use gametape::format::TapeId;
use gametape::format::read::Tape;
use gametape::laps::Id;
use gametape::store::catalogue;

use super::source::{Http, Link};
use crate::http_address::HttpAddress;
use crate::open::folders;
use crate::{serving, store};

/// A server on this machine responds quickly.
const TIMEOUT: Duration = Duration::from_millis(1500);

/// Returns the server of this user's newest recorder, or the gametape server on the default port.
pub(super) async fn find_server() -> Option<Http> {
    let told = tokio::task::spawn_blocking(of_recorders).await.unwrap_or_default();
    let usual = HttpAddress::parse(&format!("http://127.0.0.1:{}", serving::PORT)).ok();
    for address in told.into_iter().chain(usual) {
        let http = Http { address, token: None };
        let link = Link::Server(std::sync::Arc::new(http.clone()));
        let answered = tokio::time::timeout(TIMEOUT, link.json("/api/v1/sessions?limit=1")).await;
        // Any program can use the port: this response identifies a gametape server.
        if answered.is_ok_and(|answer| answer.is_ok_and(|answer| answer["sessions"].is_array())) {
            return Some(http);
        }
    }
    None
}

fn of_recorders() -> Vec<HttpAddress> {
    let Ok(folders) = folders() else { return Vec::new() };
    let running = recorders(&folders.run).unwrap_or_default();
    let told = running.iter().filter_map(|recorder| ask(recorder, "server").ok());
    told.filter_map(|url| HttpAddress::parse(&url).ok()).collect()
}

/// Returns the file of a tape if it is on this machine: as listed in the catalogues, or by name in the tape folders.
pub(super) fn find_tape(id: &str, file: &str, named: Option<&str>) -> Option<PathBuf> {
    let id = TapeId(Id::parse(id)?.0);
    let known = |named: Option<&str>| {
        let store = store::open_if_there(named).ok().flatten()?;
        catalogue::file_of(&store, id).ok().flatten()
    };
    let listed = if named.is_some() { known(named) } else { known(None).or_else(|| known(Some(store::DEMO))) };
    listed.or_else(|| {
        // Rejects names that contain a folder.
        let plain = Path::new(file).file_name().filter(|name| *name == file)?;
        let folders = folders().ok()?;
        let places = [folders.tapes, folders.demo].map(|folder| folder.join(plain));
        places.into_iter().find(|path| Tape::open(path).is_ok_and(|tape| tape.id() == Some(id)))
    })
}
