//! Request counters in the Prometheus text format.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::http::{Method, StatusCode};

/// Upper bounds of the duration buckets.
const BUCKETS_S: [f64; 9] = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 2.0];

/// Counters of requests.
#[derive(Debug, Default)]
pub(super) struct Metrics {
    counts: Mutex<BTreeMap<(String, String, u16), u64>>,
    durations: Mutex<BTreeMap<String, Durations>>,
}

#[derive(Debug, Default)]
struct Durations {
    buckets: [u64; BUCKETS_S.len()],
    count: u64,
    sum_s: f64,
}

impl Metrics {
    /// Counts a response. `route` is a pattern, so there are few.
    pub(super) fn count(&self, method: &Method, route: &str, status: StatusCode, took: Duration) {
        // A method can be any token.
        let method = match *method {
            Method::GET
            | Method::HEAD
            | Method::PATCH
            | Method::DELETE
            | Method::POST
            | Method::PUT
            | Method::OPTIONS => method.as_str(),
            _ => "other",
        };
        let key = (route.to_owned(), method.to_owned(), status.as_u16());
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default() += 1;
        let mut durations = self.durations.lock().unwrap_or_else(PoisonError::into_inner);
        let durations = durations.entry(route.to_owned()).or_default();
        durations.count += 1;
        durations.sum_s += took.as_secs_f64();
        for (bucket, end_s) in durations.buckets.iter_mut().zip(BUCKETS_S) {
            *bucket += u64::from(took.as_secs_f64() <= end_s);
        }
    }

    /// Formats all counters.
    pub(super) fn text(&self) -> String {
        let mut out = String::from("# TYPE gametape_http_requests_total counter\n");
        for ((route, method, status), count) in self.counts.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let labels = format!("route=\"{route}\",method=\"{method}\",status=\"{status}\"");
            let _ = writeln!(out, "gametape_http_requests_total{{{labels}}} {count}");
        }
        out.push_str("# TYPE gametape_http_request_seconds histogram\n");
        for (route, durations) in self.durations.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            for (end_s, count) in BUCKETS_S.iter().zip(durations.buckets) {
                let _ =
                    writeln!(out, "gametape_http_request_seconds_bucket{{route=\"{route}\",le=\"{end_s}\"}} {count}");
            }
            let Durations { count, sum_s, .. } = durations;
            let _ = writeln!(out, "gametape_http_request_seconds_bucket{{route=\"{route}\",le=\"+Inf\"}} {count}");
            let _ = writeln!(out, "gametape_http_request_seconds_sum{{route=\"{route}\"}} {sum_s}");
            let _ = writeln!(out, "gametape_http_request_seconds_count{{route=\"{route}\"}} {count}");
        }
        out
    }
}
