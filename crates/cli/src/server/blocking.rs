//! Runs store queries, which block, on threads that may block.

use std::sync::Arc;

use gametape::store::{Store, StoreError};

use super::error::ApiError;
use super::state::AppState;

/// Runs a query on the store.
pub(super) async fn query_store<T: Send + 'static>(
    state: &AppState,
    question: impl FnOnce(&(dyn Store + 'static)) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, ApiError> {
    let store = Arc::clone(&state.store);
    Ok(tokio::task::spawn_blocking(move || question(store.as_ref())).await??)
}
