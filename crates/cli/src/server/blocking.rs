//! The store blocks, handlers must not: questions go to threads that may wait.

use std::sync::Arc;

use gametape::store::{Store, StoreError};

use super::error::ApiError;
use super::state::AppState;

/// Asks the store something.
pub(super) async fn ask<T: Send + 'static>(
    state: &AppState,
    question: impl FnOnce(&dyn Store) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, ApiError> {
    let store = Arc::clone(&state.store);
    Ok(tokio::task::spawn_blocking(move || question(store.as_ref())).await??)
}
