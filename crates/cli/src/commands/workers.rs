//! Processes many files in parallel: each worker takes the next file until none are left.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Returns the requested number of workers, or the number of cores; never more than there are files.
pub(super) fn worker_count(asked: Option<u16>, files: usize) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(cores, usize::from).min(files)
}

/// Runs the work for each job; results are in the order of the jobs.
pub(super) fn each<J: Sync, R: Send>(jobs: &[J], workers: usize, work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(number) else { return };
                    let result = work(job);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_and_results_stand_in_order() {
        let jobs: Vec<usize> = (0..100).collect();
        for workers in [1, 3] {
            assert_eq!(each(&jobs, workers, |job| job * 2), (0..100).map(|job| job * 2).collect::<Vec<_>>());
        }
        assert_eq!((worker_count(Some(8), 2), worker_count(Some(1), 2)), (2, 1));
    }
}
