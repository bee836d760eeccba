//! Sends requests at a steady rate and measures their latencies.
//!
//! The due time of each request is fixed before the first one is sent, and latency counts from the due time. A stalled
//! server is therefore charged for all requests that were due meanwhile, not only for the one that waited (no
//! coordinated omission).

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, ensure};

use super::http::Connection;

/// Number and rate of requests.
#[derive(Debug, Clone, Copy)]
pub(super) struct Load {
    pub(super) per_second: u64,
    pub(super) seconds: u64,
    pub(super) connections: usize,
}

/// Results in milliseconds, sorted.
#[derive(Debug, Default)]
pub(super) struct Latencies {
    /// From the due time of a request to the last byte of its response.
    pub(super) total_ms: Vec<f64>,
    /// From the due time until it was sent: the client's own delay, and that of connections that were all busy.
    pub(super) sent_late_ms: Vec<f64>,
    /// Requests without a correct response.
    pub(super) errors: u64,
    /// Requests that were given up because the server was too far behind.
    pub(super) given_up: u64,
    /// From the first to the last request.
    pub(super) seconds: f64,
}

/// Sends requests. A response is correct if its status is 200 and its body equals `expected`.
pub(super) fn send(address: SocketAddr, path: &str, expected: &[u8], load: Load) -> Result<Latencies> {
    let next = AtomicU64::new(0);
    let count = load.per_second * load.seconds;
    ensure!(load.per_second > 0 && load.connections > 0, "rate and number of connections must not be 0");
    // Connections are established before the first request is due.
    let connections = (0..load.connections).map(|_| Connection::open(address)).collect::<Result<Vec<_>>>()?;
    let start = Instant::now() + Duration::from_millis(50);
    let give_up = start + Duration::from_secs(3 * load.seconds + 5);
    let work = |mut connection: Connection| {
        let mut own = Latencies::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return own;
            }
            if Instant::now() > give_up {
                own.given_up += 1;
                continue;
            }
            let due = start + Duration::from_secs(1).mul_f64(number as f64 / load.per_second as f64);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            own.sent_late_ms.push(due.elapsed().as_secs_f64() * 1e3);
            let right = connection.get(path).is_ok_and(|answer| answer.status == 200 && answer.body == expected);
            if right {
                own.total_ms.push(due.elapsed().as_secs_f64() * 1e3);
            } else {
                own.errors += 1;
                if let Ok(new) = Connection::open(address) {
                    connection = new;
                }
            }
        }
    };
    let mut all = Latencies::default();
    std::thread::scope(|scope| -> Result<()> {
        let threads: Vec<_> = connections.into_iter().map(|connection| scope.spawn(move || work(connection))).collect();
        for thread in threads {
            let own = thread.join().map_err(|_| anyhow!("a client thread panicked"))?;
            all.total_ms.extend(own.total_ms);
            all.sent_late_ms.extend(own.sent_late_ms);
            all.errors += own.errors;
            all.given_up += own.given_up;
        }
        Ok(())
    })?;
    all.seconds = start.elapsed().as_secs_f64();
    all.total_ms.sort_by(f64::total_cmp);
    all.sent_late_ms.sort_by(f64::total_cmp);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;

    /// A server that stalls once is charged for everything that was due meanwhile.
    #[test]
    fn a_stall_is_felt_by_every_request_that_was_due_in_it() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut socket, _) = listener.accept().unwrap();
            for number in 0.. {
                if socket.read(&mut [0; 1024]).unwrap_or_default() == 0 {
                    return;
                }
                if number == 10 {
                    std::thread::sleep(Duration::from_millis(300));
                }
                socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").unwrap();
            }
        });
        let load = Load { per_second: 100, seconds: 1, connections: 1 };
        let found = send(address, "/", b"ok", load).unwrap();
        assert_eq!((found.errors, found.total_ms.len()), (0, 100));
        // 30 requests were due during the stall: half of them waited for more than 150 ms.
        let slow = found.total_ms.iter().filter(|ms| **ms > 100.0).count();
        assert!(slow >= 15, "{slow} slow ones");
    }
}
