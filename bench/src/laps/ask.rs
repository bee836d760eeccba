//! Sequential requests: measures the latency of each path alone.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::http::Connection;

/// Each request is repeated this often, or for this long.
const TIMES: usize = 30;
const AT_MOST: Duration = Duration::from_secs(10);

/// Response times.
#[derive(Debug)]
pub(super) struct Alone {
    /// Sorted.
    pub(super) ms: Vec<f64>,
    /// Size of a response.
    pub(super) bytes: usize,
}

/// Sends the requests; the first response is not counted.
pub(super) fn alone(address: SocketAddr, path: &str) -> Result<Alone> {
    let mut connection = Connection::open(address)?;
    let (mut ms, mut bytes, since) = (Vec::new(), 0, Instant::now());
    for number in 0..=TIMES {
        let start = Instant::now();
        let answer = connection.get(path)?;
        let took = start.elapsed();
        ensure!(answer.status == 200, "{path}: {} {}", answer.status, String::from_utf8_lossy(answer.body));
        bytes = answer.body.len();
        if number > 0 {
            ms.push(took.as_secs_f64() * 1e3);
        }
        if number > 0 && since.elapsed() > AT_MOST {
            break;
        }
    }
    ms.sort_by(f64::total_cmp);
    Ok(Alone { ms, bytes })
}
