//! Records of what has been sent to other servers: the content hash of each session and tape at the time of sending.

use super::connection::Connection;
use super::error::StoreError;
use super::value::Value;

/// Returns the content hash that was last sent; `None` if nothing was.
pub(super) fn content(
    db: &mut dyn Connection,
    upstream: &str,
    kind: &str,
    id: [u8; 16],
) -> Result<Option<String>, StoreError> {
    let sql = "SELECT content FROM pushed WHERE upstream = ?1 AND kind = ?2 AND id = ?3";
    let key = [Value::from(upstream), Value::from(kind), Value::from(&id[..])];
    Ok(db.first(sql, &key, |mut row| row.text("what was sent"))?.flatten())
}

/// Records a delivery.
pub(super) fn note(
    db: &mut dyn Connection,
    upstream: &str,
    kind: &str,
    id: [u8; 16],
    content: &str,
) -> Result<(), StoreError> {
    let sql = "INSERT INTO pushed (upstream, kind, id, content) VALUES (?1, ?2, ?3, ?4) \
               ON CONFLICT (upstream, kind, id) DO UPDATE SET content = ?4";
    let values = [Value::from(upstream), Value::from(kind), Value::from(&id[..]), Value::from(content)];
    db.execute(sql, &values)?;
    Ok(())
}
