//! For the fuzz targets and mutation tests only: runs arbitrary bytes through the rules and the decoder of every game.
use crate::capture::{Presence, Seen, SeenFrame};
use crate::lap_frame::LapFrame;
use crate::layout::Layout;
use crate::registry::{ASSETTO_CORSA_FAMILY, GAMES, Game};
use crate::requests::{RequestSettings, Subscriber};
use crate::sample::Sample;

/// Splits `data` into one frame per stream, in order; the last frame may be short. Panics if an invariant that must
/// hold for any input does not, which means that this crate has a bug.
pub fn fuzz_frames(data: &[u8]) {
    for game in GAMES {
        // A source passes either pages or datagrams.
        for has_datagrams in [false, true] {
            if game.streams.iter().any(|stream| stream.udp_port().is_some() == has_datagrams) {
                fuzz_streams(game, has_datagrams, data);
            }
        }
    }
}

fn fuzz_streams(game: &Game, has_datagrams: bool, data: &[u8]) {
    let mut rest = data;
    let mut frames = Vec::new();
    for stream in game.streams.iter().filter(|stream| stream.udp_port().is_some() == has_datagrams) {
        let layout: &Layout = stream.layouts().first().copied().unwrap_or(&crate::acc::PHYSICS_800);
        let (frame, behind) = rest.split_at(rest.len().min(layout.frame_bytes() as usize));
        frames.push(SeenFrame { stream: stream.name, layout, bytes: frame });
        rest = behind;
    }
    let (seen, rules) = (Seen(&frames), game.rules);
    for section_bytes in [4096, 8192, 24_576, 32_768, 45_056, u64::from(crate::iracing::SECTION_BYTES)] {
        let identified = rules.stream_of(section_bytes, data);
        assert!(identified.is_none_or(|stream| game.stream(stream).is_some()), "{}: {identified:?}", game.id);
    }
    let _ = (rules.about(seen), rules.counter(seen), rules.session_key(seen));
    let mut decoder = rules.decoder();
    let mut sample = Sample::default();
    frames.iter().for_each(|frame| decoder.frame(*frame, &mut sample));
    if let Some(mut standings) = rules.standings() {
        frames.iter().for_each(|frame| {
            standings.frame(*frame);
        });
        let _ = (standings.cars(), standings.session());
    }
    for frame in &frames {
        let _ = rules.frame_bytes(frame.stream, frame.bytes);
    }
    let mut laps = rules.laps();
    let mut lap_frame = LapFrame::default();
    for frame in &frames {
        laps.frame(*frame, &mut lap_frame);
        let place = lap_frame.position.unwrap_or_default();
        assert!((0.0..=1.0).contains(&place), "{}: {place}", game.id);
        assert!(laps.identity().sector_starts.len() <= 64, "{}", game.id);
    }
    for share in [sample.throttle, sample.brake, sample.clutch].into_iter().flatten() {
        assert!((0.0..=1.0).contains(&share), "{}: {share}", game.id);
    }
    let numbers = [sample.speed_kmh, sample.fuel_l, sample.track_position, sample.lateral_g];
    assert!(numbers.into_iter().flatten().all(f32::is_finite), "{}: {sample:?}", game.id);
    if game.id != crate::iracing::GAME.id && rules.presence(seen) == Presence::Off {
        assert_eq!((sample.lap_time_ms, sample.lap_is_valid), (None, None));
        // The first datagrams of a session may name it before it is open.
        assert!(rules.session_key(seen).is_none() || game.udp_port().is_some(), "{}", game.id);
    }
    let identified = ASSETTO_CORSA_FAMILY.iter().filter(|game| game.rules.is_it(seen) == Some(true)).count();
    assert!(identified <= 1, "two games of the family");
}

/// Asks all games about a datagram: at most one of them knows it, and what it records restores it. Panics if that does not hold.
pub fn fuzz_datagram(data: &[u8]) {
    let (mut plain, mut sent, mut known_by) = (Vec::new(), Vec::new(), None);
    for game in GAMES {
        plain.clear();
        sent.clear();
        let Some(name) = game.rules.datagram(data, &mut plain) else { continue };
        assert!(known_by.replace(game.id).is_none_or(|other| other == game.id), "{known_by:?} and {} know it", game.id);
        let recorded = if plain.is_empty() { data } else { &plain };
        game.rules.sent_datagram(name, recorded, &mut sent);
        assert!((if sent.is_empty() { recorded } else { &sent }) == data, "{}: {name} is not restored", game.id);
        let stream = game.stream(name);
        assert!(stream.is_some(), "{} has no stream {name}", game.id);
        let layout = stream.and_then(|stream| stream.layout_of(u32::try_from(recorded.len()).unwrap_or(u32::MAX)));
        let frame = SeenFrame { stream: name, layout: layout.unwrap_or(&crate::NO_CHANNELS), bytes: recorded };
        let (seen, rules) = (&[frame], game.rules);
        let _ = (
            rules.presence(Seen(seen)),
            rules.about(Seen(seen)),
            rules.counter(Seen(seen)),
            rules.session_key(Seen(seen)),
        );
        rules.decoder().frame(frame, &mut Sample::default());
        rules.laps().frame(frame, &mut LapFrame::default());
        if let Some(mut standings) = rules.standings() {
            standings.frame(frame);
        }
    }
}

/// Passes bytes to both sides of every request protocol: as a request, as a frame that is played, and as a datagram of the game. Panics if what is
/// not a request is answered, or if a client sends more than a few datagrams at once.
pub fn fuzz_requests(data: &[u8]) {
    for game in GAMES {
        let Some(protocol) = game.rules.requests() else { continue };
        let mut server = protocol.server();
        let (mut subscriber, mut answers, mut datagram) = (Subscriber::new(1), Vec::new(), Vec::new());
        for at_ns in [0, 1, u64::MAX] {
            let before = subscriber;
            if !server.request(at_ns, &mut subscriber, data, &mut answers) {
                assert!(answers.is_empty() && subscriber == before, "{}: not a request", game.id);
            }
            answers.clear();
            for stream in game.streams {
                server.note(stream.name, data);
                datagram.clear();
                server.delivery(&mut subscriber, stream.name, data, &mut datagram);
            }
        }
        let Some(mut client) = protocol.client(&RequestSettings::default()) else { continue };
        let mut requests = Vec::new();
        for stream in game.streams {
            for at_ns in [0, 5_000_000_000, u64::MAX] {
                client.requests(at_ns, &mut requests);
                client.received(at_ns, stream.name, data);
                client.requests(at_ns, &mut requests);
                assert!(requests.len() <= 8, "{}: {} requests at once", game.id, requests.len());
                requests.clear();
            }
        }
        client.end(&mut requests);
    }
}
