//! The store of this machine, accessed through the server's routes without a socket.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{Request, Response, header};
use gametape::store::SqlStore;
use tower::ServiceExt as _;

use crate::server::{Access, AppState, Limits, app};
use crate::store;

/// The store, opened as soon as it exists; never creates a file.
pub(crate) struct LocalStore {
    /// The named store. If `None`, the user's store, or that of `gametape demo` while there is none.
    named: Option<String>,
    open: Mutex<Option<Open>>,
}

#[derive(Clone)]
struct Open {
    routes: Router,
    name: String,
}

impl LocalStore {
    pub(crate) fn new(named: Option<String>) -> Self {
        Self { named, open: Mutex::new(None) }
    }

    /// Returns the display name.
    pub(super) fn name(&self) -> String {
        match self.open() {
            Ok(Some(open)) => open.name,
            _ => "no store yet".to_owned(),
        }
    }

    /// Opens the store if it exists.
    fn open(&self) -> Result<Option<Open>, String> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.is_none() {
            *open = self.find().map_err(|error| super::super::text::clean(&format!("{error:#}")))?;
        }
        Ok(open.clone())
    }

    fn find(&self) -> anyhow::Result<Option<Open>> {
        let found = store::open_if_there(self.named.as_deref())?;
        let (found, name) = match (found, &self.named) {
            (Some(found), None) => (Some(found), "the store of this machine"),
            (None, None) => (store::open_if_there(Some(store::DEMO))?, "the store of `gametape demo`"),
            (found, Some(name)) if name == store::DEMO => (found, "the store of `gametape demo`"),
            (found, Some(_)) => (found, "the named store"),
        };
        Ok(found.map(|found: SqlStore| {
            // Requests appear to come from this machine, on port 80, which the `Host` header omits.
            let access = Access { loopback: true, port: 80, ..Access::default() };
            let state = AppState::new(Arc::new(found), access, Limits::default());
            Open { routes: app(state), name: name.to_owned() }
        }))
    }

    /// Requests a path; `None` if there is no store.
    pub(super) async fn get(&self, path: &str) -> Result<Option<Response<Body>>, String> {
        let Some(Open { routes, .. }) = self.open()? else { return Ok(None) };
        let here = ConnectInfo(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let request = Request::get(path).header(header::HOST, "localhost").extension(here).body(Body::empty());
        let request = request.map_err(|error| error.to_string())?;
        match routes.oneshot(request).await {
            Ok(response) => Ok(Some(response)),
            Err(never) => match never {},
        }
    }
}
