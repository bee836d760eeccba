//! The library interface: callbacks, iterator, stopping, errors.

use super::*;

#[test]
fn a_callback_that_panics_does_not_end_the_watch() {
    let bench = Bench::new();
    let (sender, finds) = mpsc::channel();
    let (watching, is_watching) = mpsc::channel();
    let running = bench
        .watch()
        .settle(Duration::from_millis(20))
        .on_found(|found| assert!(found.bytes != 3, "a panic on purpose"))
        .on_found(move |found| sender.send(name(&found.path)).unwrap())
        .on_notice(move |_| watching.send(()).unwrap())
        .start()
        .unwrap();
    is_watching.recv_timeout(DEADLINE).unwrap();
    for (file, bytes) in [("a.replay", b"bad".as_slice()), ("b.replay", b"good")] {
        bench.put(file, bytes);
        assert_eq!(finds.recv_timeout(DEADLINE).unwrap(), file, "other callbacks are called all the same");
    }
    assert_eq!(running.stop(), Watched { found: 2, callback_panics: 1 });
}

#[test]
fn the_iterator_ends_when_it_is_stopped_from_another_thread() {
    let bench = Bench::new();
    bench.put("a.replay", b"one");
    let events = bench.watch().settle(Duration::from_millis(20)).existing().events().unwrap();
    let stop = events.stop_handle();
    let start = Instant::now();
    let mut found = 0;
    for event in events {
        if matches!(event, WatchEvent::Found(_)) {
            found += 1;
            let stop = stop.clone();
            std::thread::spawn(move || stop.stop());
        }
    }
    assert_eq!(found, 1);
    assert!(start.elapsed() < DEADLINE);
}

#[test]
fn a_stop_is_never_missed_whatever_the_watch_is_doing() {
    let bench = Bench::new();
    for round in 0..200 {
        let running = bench.watch().start().unwrap();
        bench.put(&format!("{round}.replay"), b"so that there are events");
        std::thread::sleep(Duration::from_micros(round * 10));
        let start = Instant::now();
        running.stop();
        assert!(start.elapsed() < DEADLINE);
    }
}

#[test]
fn dropping_a_watch_ends_it() {
    let bench = Bench::new();
    let (sender, alive) = mpsc::channel::<()>();
    drop(bench.watch().on_found(move |_| drop(sender.clone())).start().unwrap());
    assert_eq!(alive.try_recv(), Err(mpsc::TryRecvError::Disconnected), "the thread is gone, and its callbacks");
}

#[test]
fn games_and_patterns_say_what_a_file_is() {
    let bench = Bench::new();
    let game = find_replay_game("rl").unwrap();
    let watch = Watch::new()
        .folder(Folder::of_game(bench.path("replays"), game).unwrap())
        .folder(Folder::new(bench.path("replays")).pattern("*.mine").unwrap())
        .settle(SETTLE)
        .existing();
    for file in ["a.replay", "b.mine", "c.other"] {
        bench.put(file, file.as_bytes());
    }
    let mut found: Vec<_> = Fake::deaf(watch).pass(SETTLE).into_iter().map(|it| (name(&it.path), it.game)).collect();
    found.sort_unstable();
    assert_eq!(found, [("a.replay".into(), Some("rocket-league".into())), ("b.mine".into(), None)]);
}

#[test]
fn what_cannot_be_watched_is_refused_with_what_to_do() {
    let bench = Bench::new();
    let file = bench.put("a.replay", b"one");
    assert!(matches!(Watch::new().events(), Err(WatchError::NoFolder)));
    assert!(matches!(Watch::new().game("pong"), Err(WatchError::UnknownGame { .. })));
    assert!(matches!(Watch::new().folder(Folder::new(&file)).events(), Err(WatchError::NotAFolder { .. })));
    let state = Watch::new().folder(bench.folder()).remember_in(&file).events();
    assert!(matches!(state, Err(WatchError::StateVersion { .. })));
    assert_eq!(std::fs::read(file).unwrap(), b"one", "it was not overwritten");
}
