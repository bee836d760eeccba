//! Records Echo VR over HTTP, from a game that responds in various ways, stalls, fails, restarts and changes its match.
#![allow(clippy::unwrap_used, clippy::panic)]
use crate::echo_game;
#[cfg(any(target_os = "linux", windows))]
use crate::game;

#[cfg(any(target_os = "linux", windows))]
mod recording {
    use std::net::{Ipv4Addr, TcpListener};
    use std::path::Path;
    use std::time::Duration;

    use gametape::capture::{Destination, EchoVrAddress, EchoVrSource, RecordOptions, RecorderEvent, TapeSummary};
    use gametape::games::echo_vr::simulated::{Match, Settings};
    use gametape::games::echo_vr::{EventDetector, GameEvent, State};

    use super::echo_game::{Act, EchoGame, answer, assert_same, closed, frames, open, source};
    use super::game::{Recording, wait_until};

    fn record(folder: &Path, source: EchoVrSource) -> Recording {
        Recording::start(RecordOptions::new(Some(Destination::Folder(folder.into()))), source)
    }

    fn text_of(recording: &Recording) -> String {
        recording.progress.situation().state.map(|state| state.text().to_owned()).unwrap_or_default()
    }

    /// Waits until a tape is closed because the game has left its match.
    fn until_closed(recording: &Recording) -> std::path::PathBuf {
        loop {
            if let RecorderEvent::Closed(TapeSummary { path, .. }) = recording.next() {
                return path;
            }
        }
    }

    #[test]
    fn every_answer_that_was_served_is_on_the_tape_to_the_byte_whatever_comes_between() {
        let (game, folder) = (EchoGame::start(), tempfile::tempdir().unwrap());
        let recording = record(folder.path(), source(game.address));
        wait_until("the game is seen", || text_of(&recording) == "the game is in its menus");
        let mut number = 0;
        let mut next = || {
            number += 1;
            answer("A", number)
        };
        let mut acts: Vec<Act> = (0..30).map(|_| Act::Answer(next())).collect();
        acts.extend((0..5).map(|_| Act::Chunked(next())));
        acts.extend((0..3).map(|_| Act::UntilClose(next())));
        let huge = [b"{\"long\":\"", &vec![b'x'; 3 << 20][..], b"\",\"sessionid\":\"A\"}"].concat();
        for between in [
            Act::HangUp,
            Act::Status(404, ""),
            Act::Status(500, "busy"),
            Act::Answer(b"<html>loading</html>".to_vec()),
            Act::Answer(b"{\"err_code\":-6}".to_vec()),
            Act::Half(answer("A", 0)),
            Act::Answer(b"{\"sess".to_vec()),
            Act::Status(503, "{\"sessionid\":\"A\"}"),
            Act::Answer(huge),
        ] {
            acts.push(between);
            acts.extend((0..4).map(|_| Act::Answer(next())));
        }
        game.script(acts);
        game.wait_done();
        let path = until_closed(&recording);
        recording.end();
        let (tape, served) = (open(&path), game.served());
        assert_eq!(served.len(), 30 + 5 + 3 + 9 * 4);
        assert_same(&frames(&tape, "session"), &served);
        // Bones have no match id: those that arrived during a match are on the tape, in order.
        let (bones, all) = (frames(&tape, "player-bones"), game.bones());
        let mut rest = all.iter();
        assert!(!bones.is_empty() && bones.iter().all(|frame| rest.any(|served| served == frame)));
        let counters = tape.stream_named("session").unwrap().status().counters;
        // The first closed connection is retried immediately, so it does not count as missed.
        assert!(counters.missed >= 7 && counters.gaps >= 1 && counters.dropped == 0, "{counters:?}");
        let metadata = tape.metadata();
        for (key, value) in [
            ("session_id", "A"),
            ("track", "mpl_arena_a"),
            ("session", "Echo_Arena"),
            ("client_name", "Player 1"),
            ("sampling_hz", "200"),
            ("end_reason", "game_ended"),
        ] {
            assert_eq!(metadata.get(key).map(String::as_str), Some(value), "{key}");
        }
        assert!(!metadata.contains_key("replay_of"));
        assert!(path.file_name().unwrap().to_string_lossy().starts_with("echo-vr_mpl-arena-a_"), "{path:?}");
    }

    #[test]
    fn a_match_is_asked_for_over_kept_connections() {
        let (game, folder) = (EchoGame::start(), tempfile::tempdir().unwrap());
        let recording = record(folder.path(), source(game.address));
        game.always(|number| Act::Answer(answer("A", number)));
        game.wait_served(100);
        recording.end();
        // One connection each for the port scan, sessions and bones.
        assert!(game.connections() <= 3, "{}", game.connections());
    }

    #[test]
    fn another_session_id_begins_another_tape_and_no_answer_is_on_the_wrong_one() {
        let (game, folder) = (EchoGame::start(), tempfile::tempdir().unwrap());
        let recording = record(folder.path(), source(game.address));
        game.always(|number| Act::Answer(answer("A", number)));
        game.wait_served(40);
        game.always(|number| Act::Answer(answer("B", number)));
        let first = until_closed(&recording);
        game.wait_served(game.served().len() + 20);
        game.menus();
        let second = until_closed(&recording);
        recording.end();
        let of = |id: &str| -> Vec<Vec<u8>> {
            let key = format!("{{\"sessionid\":\"{id}\"");
            game.served().into_iter().filter(|body| body.starts_with(key.as_bytes())).collect()
        };
        assert_same(&frames(&open(&first), "session"), &of("A"));
        assert_same(&frames(&open(&second), "session"), &of("B"));
        assert_eq!(open(&first).metadata().get("end_reason").map(String::as_str), Some("new_session"));
        assert_eq!(open(&second).metadata().get("session_id").map(String::as_str), Some("B"));
    }

    #[test]
    fn a_game_that_stalls_is_given_up_waiting_for_and_what_it_cost_is_on_the_tape() {
        for act in [Act::Stall, Act::Drip(answer("A", 0))] {
            let (game, folder) = (EchoGame::start(), tempfile::tempdir().unwrap());
            let recording = record(folder.path(), source(game.address));
            game.always(|number| Act::Answer(answer("A", number)));
            game.wait_served(20);
            game.script(vec![act]);
            game.wait_done();
            game.wait_served(game.served().len() + 20);
            // 400 ms at 5 ms each; the menus are not counted yet.
            wait_until("what it cost is counted", || recording.progress.numbers().counters.missed >= 50);
            game.menus();
            // On a very slow machine, this ends the tape.
            until_closed(&recording);
            let told = recording.end();
            let mut paths: Vec<_> =
                std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
            paths.sort();
            assert!(paths.len() >= closed(&told).len());
            let all: Vec<Vec<u8>> = paths.iter().flat_map(|path| frames(&open(path), "session")).collect();
            assert_same(&all, &game.served());
            let first = open(&paths[0]);
            let stalls: Vec<_> = first.events().into_iter().filter(|event| event.kind == "stall").collect();
            assert!(stalls.iter().any(|stall| stall.text.starts_with("no answer to /session within")), "{stalls:?}");
            let counters = first.stream_named("session").unwrap().status().counters;
            assert!(counters.missed >= 50, "400 ms of 5 ms each: {counters:?}");
        }
    }

    #[test]
    fn a_game_that_is_started_anew_is_found_again_on_its_port() {
        let (game, folder) = (EchoGame::start(), tempfile::tempdir().unwrap());
        let (address, recording) = (game.address, record(folder.path(), source(game.address)));
        game.always(|number| Act::Answer(answer("A", number)));
        game.wait_served(30);
        let served = game.crash();
        let first = until_closed(&recording);
        wait_until("it is gone", || text_of(&recording) == "no game");
        let game = EchoGame::start_on(TcpListener::bind(address).unwrap());
        game.always(|number| Act::Answer(answer("B", number)));
        game.wait_served(30);
        game.menus();
        let second = until_closed(&recording);
        recording.end();
        // The last response of a crashing game may have been lost.
        let on_tape = frames(&open(&first), "session");
        assert!(
            served.starts_with(&on_tape) && on_tape.len() + 1 >= served.len(),
            "{} {}",
            on_tape.len(),
            served.len()
        );
        assert_same(&frames(&open(&second), "session"), &game.served());
    }

    #[test]
    fn a_game_without_a_match_says_why() {
        let (game, folder) = (EchoGame::start(), tempfile::tempdir().unwrap());
        let recording = record(folder.path(), source(game.address));
        for (act, text) in [
            (Act::Status(500, ""), "API Access"),
            (Act::Status(404, "not found"), "menus"),
            (Act::Answer(b"{\"err_code\":-2,\"err_description\":\"x\"}".to_vec()), "API Access"),
            (Act::Answer(b"{\"err_code\":-6}".to_vec()), "menus"),
            (Act::Answer(b"{\"err_code\":-9}".to_vec()), "err_code -9"),
            (Act::Answer(b"loading".to_vec()), "menus"),
            (Act::Status(301, ""), "status 301"),
        ] {
            game.always(move |_| act.clone());
            wait_until(text, || text_of(&recording).contains(text));
        }
        assert!(closed(&recording.end()).is_empty());
    }

    /// Returns two listeners on consecutive ports.
    fn neighbours() -> (TcpListener, TcpListener) {
        loop {
            let first = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
            let next = first.local_addr().unwrap().port().wrapping_add(1).max(1024);
            if let Ok(second) = TcpListener::bind((Ipv4Addr::LOCALHOST, next)) {
                return (first, second);
            }
        }
    }

    #[test]
    fn of_two_games_with_a_match_the_one_on_the_first_port_is_recorded() {
        let (first, second) = neighbours();
        let (first, second) = (EchoGame::start_on(first), EchoGame::start_on(second));
        first.always(|number| Act::Answer(answer("A", number)));
        second.always(|number| Act::Answer(answer("B", number)));
        let folder = tempfile::tempdir().unwrap();
        let address = format!("{}-{}", first.address.port(), second.address.port());
        let source = EchoVrSource::new(address.parse().unwrap(), 200).look_every(Duration::from_millis(20));
        let recording = record(folder.path(), source);
        first.wait_served(10);
        assert!(second.crash().is_empty(), "nobody had to ask it");
        first.menus();
        let path = until_closed(&recording);
        recording.end();
        assert_same(&frames(&open(&path), "session"), &first.served());
    }

    #[test]
    fn bones_that_do_not_come_are_counted() {
        let (game, folder) = (EchoGame::start(), tempfile::tempdir().unwrap());
        let recording = record(folder.path(), source(game.address));
        game.always(|number| Act::Answer(answer("A", number)));
        game.wait_served(40);
        game.no_bones();
        game.wait_served(game.served().len() + 40);
        game.menus();
        let path = until_closed(&recording);
        recording.end();
        let counters = open(&path).stream_named("player-bones").unwrap().status().counters;
        assert!(counters.missed >= 10, "{counters:?}");
    }

    #[test]
    fn the_game_is_found_behind_other_servers() {
        let (stranger, listener) = neighbours();
        let stranger = EchoGame::start_on(stranger);
        stranger.always(|_| Act::Status(404, "<html>nothing here</html>"));
        let (game, folder) = (EchoGame::start_on(listener), tempfile::tempdir().unwrap());
        let address = format!("{}-{}", stranger.address.port(), game.address.port());
        let address: EchoVrAddress = address.parse().unwrap();
        let source = EchoVrSource::new(address, 200).look_every(Duration::from_millis(20));
        let recording = record(folder.path(), source);
        wait_until("somebody is seen", || text_of(&recording).contains("menus"));
        game.always(|number| Act::Answer(answer("A", number)));
        game.wait_served(10);
        game.menus();
        let path = until_closed(&recording);
        recording.end();
        assert_same(&frames(&open(&path), "session"), &game.served());
    }

    #[test]
    fn what_happens_in_the_match_is_in_the_events_of_the_tape() {
        let settings =
            Settings { frames: 900, rate_hz: 10.0, players: 4, bones: false, seed: 3, ..Settings::default() };
        let bodies: Vec<Vec<u8>> = Match::new(settings).map(|answers| answers.session.into_bytes()).collect();
        let (mut state, mut detector, mut expected) = (State::default(), EventDetector::default(), Vec::new());
        for body in &bodies {
            assert!(state.read(body));
            detector.see(&mut state, &mut expected);
        }
        assert!(expected.iter().any(|event| event.kind == "goal"), "a match without a goal shows little");
        let (game, folder) = (EchoGame::start(), tempfile::tempdir().unwrap());
        let recording = record(folder.path(), source(game.address));
        let mut rest = bodies.clone().into_iter();
        game.always(move |_| rest.next().map_or(Act::Status(404, ""), Act::Answer));
        let path = until_closed(&recording);
        recording.end();
        let tape = open(&path);
        // A response that equals the previous one is received but not stored again.
        let mut distinct = bodies;
        distinct.dedup();
        assert_same(&frames(&tape, "session"), &distinct);
        let kinds = |events: &[GameEvent]| -> Vec<(String, String)> {
            events.iter().map(|event| (event.kind.to_owned(), event.text.clone())).collect()
        };
        let of_match = |kind: &str| expected.iter().any(|event| event.kind == kind);
        let found = tape.events().into_iter().filter(|event| of_match(&event.kind));
        let found: Vec<_> = found.map(|event| (event.kind, event.text)).collect();
        assert_eq!(found, kinds(&expected));
    }
}
