//! One question after the other, each alone: a path in, how long its answer takes out.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::http::Connection;

/// Each question is asked this often, or for this long.
const TIMES: usize = 30;
const AT_MOST: Duration = Duration::from_secs(10);

/// How long answers took.
#[derive(Debug)]
pub(super) struct Alone {
    /// Sorted.
    pub(super) ms: Vec<f64>,
    /// Of an answer.
    pub(super) bytes: usize,
}

/// Asks; the first answer is not counted.
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
