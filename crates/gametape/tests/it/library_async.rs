//! Frames as an async stream, driven by a minimal executor.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs)]
use crate::scripted;

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures_core::Stream as _;
use gametape::{Capture, FrameStream, Tape};
use scripted::{Sent, Tick, tick_tape, ticks_description};
use zerocopy::IntoBytes as _;

/// Wakes the thread and counts.
struct Counted(std::thread::Thread, AtomicU64);

impl Wake for Counted {
    fn wake(self: Arc<Self>) {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.unpark();
    }
}

/// Runs a future to completion. Returns how often it was woken.
fn block_on<T>(future: impl Future<Output = T>) -> (T, u64) {
    let counted = Arc::new(Counted(std::thread::current(), AtomicU64::new(0)));
    let waker = Waker::from(Arc::clone(&counted));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return (value, counted.1.load(Ordering::Relaxed));
        }
        std::thread::park_timeout(Duration::from_secs(20));
    }
}

async fn next(stream: &mut FrameStream<Tick>) -> Option<(Duration, Tick)> {
    poll_fn(|context| Pin::new(&mut *stream).poll_next(context)).await
}

#[test]
fn a_tape_as_an_async_stream_gives_every_frame_and_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    tick_tape(&path, 4000);
    let capture = Capture::new().source(Tape::open(&path).unwrap()).start().unwrap();
    let mut stream = capture.frames_of::<Tick>("ticks").unwrap().into_stream();
    let (frames, _) = block_on(async {
        let mut frames = Vec::new();
        while let Some(frame) = next(&mut stream).await {
            frames.push(frame);
        }
        frames
    });
    let expected: Vec<_> = Tape::open(&path).unwrap().frames_of::<Tick>("ticks").unwrap().collect();
    assert_eq!(frames, expected);
    assert_eq!(stream.skipped(), 0);
    capture.wait_for_end().unwrap();
}

#[test]
fn whoever_polls_is_woken_for_a_frame_and_for_the_end() {
    let (send, receive) = channel();
    let source = Sent { description: ticks_description(), frames: receive };
    let capture = Capture::new().source(source).realtime_only().start().unwrap();
    let mut stream = capture.frames_of::<Tick>("ticks").unwrap().into_stream();
    let sender = std::thread::spawn(move || {
        // The stream misses frames until it has joined.
        let mut number = 0;
        while send.send((0, Tick::new(number).as_bytes().to_vec())).is_ok() {
            number += 1;
            std::thread::sleep(Duration::from_millis(1));
        }
    });
    let ((), woken) = block_on(async {
        for _ in 0..20 {
            next(&mut stream).await.unwrap();
        }
    });
    assert!(woken > 0, "it slept between frames a millisecond apart, so it was woken");
    let stopper = capture.stopper();
    let stopping = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        stopper.stop();
    });
    let ((), _) = block_on(async { while next(&mut stream).await.is_some() {} });
    stopping.join().unwrap();
    capture.wait_for_end().unwrap();
    sender.join().unwrap();
}
