//! Assetto Corsa's remote telemetry: messages and laps; a real capture if there is one.
use crate::datagram_feed::{Feed, Noise, assert_only, put};
use crate::support;

use gametape_games::assetto_corsa_remote::GAME;
use gametape_games::{Pit, Presence, Utf16};
use zerocopy::IntoBytes as _;

fn car(laps: i32, lap_ms: i32, last_ms: i32) -> Vec<u8> {
    let mut message = vec![0; 328];
    put(&mut message, 0, *b"a\0\0\0");
    put(&mut message, 4, 328_i32.to_le_bytes());
    put(&mut message, 8, 180_f32.to_le_bytes());
    put(&mut message, 28, 1.5_f32.to_le_bytes());
    for (at, number) in [(40, lap_ms), (44, last_ms), (48, last_ms), (52, laps), (76, 4)] {
        put(&mut message, at, number.to_le_bytes());
    }
    put(&mut message, 64, 1_f32.to_le_bytes());
    put(&mut message, 72, 90_f32.to_le_bytes());
    put(&mut message, 308, 0.25_f32.to_le_bytes());
    message
}

fn put_text(message: &mut [u8], at: usize, text: &str) {
    message[at..at + 100].copy_from_slice(Utf16::<50>::new(text).as_bytes());
}

/// Texts end with a percent sign, and what follows it has no meaning.
fn handshake() -> Vec<u8> {
    let mut message = vec![0; 408];
    for (at, text) in [(0, "test_car%xyz"), (100, "Driver 1%"), (208, "test_track%"), (308, "short")] {
        put_text(&mut message, at, text);
    }
    put(&mut message, 200, 4242_i32.to_le_bytes());
    put(&mut message, 204, 1_i32.to_le_bytes());
    message
}

fn lap() -> Vec<u8> {
    let mut message = vec![0; 212];
    put(&mut message, 4, 3_i32.to_le_bytes());
    put_text(&mut message, 8, "Driver 1%");
    put_text(&mut message, 108, "test_car%");
    put(&mut message, 208, 92_345_i32.to_le_bytes());
    message
}

#[test]
fn messages_are_recognized_and_decoded() {
    let mut feed = Feed::new(&GAME);
    assert_eq!((feed.datagram(&handshake()), feed.presence()), (Some("handshake"), Presence::Off));
    assert_eq!((feed.datagram(&car(2, 30_500, 92_345)), feed.presence()), (Some("car"), Presence::Live));
    let (sample, laps) = (feed.sample, feed.laps);
    assert_eq!((sample.speed_kmh, sample.gear, sample.clutch), (Some(180.0), Some(3), Some(0.0)));
    assert_eq!((sample.lateral_g, sample.steering_rad), (Some(-1.5), Some(90_f32.to_radians())));
    assert_eq!((laps.laps_completed, laps.running_ms, laps.last_ms), (Some(2), Some(30_500), Some(92_345)));
    assert_eq!((laps.position, laps.pit), (Some(0.25), Some(Pit::Track)));
    let identity = feed.identity();
    assert_eq!((identity.car.as_deref(), identity.driver.as_deref()), (Some("test_car"), Some("Driver 1")));
    assert_eq!((identity.track.as_deref(), identity.layout.as_deref()), (Some("test_track"), Some("short")));
    assert!(feed.session_key().is_some() && feed.about().car.as_deref() == Some("test_car"));
    assert_eq!((feed.datagram(&lap()), feed.is_lap_frame), (Some("lap"), false));
    for datagram in [handshake(), car(2, 30_500, 92_345), lap()] {
        assert_only(&GAME, &datagram);
        for at in [0, 4, 8, 108, 200] {
            let mut other = datagram.clone();
            other[at] ^= 0x01;
            // A text of other letters is still one.
            let _ = feed.datagram(&other);
            assert_eq!(feed.datagram(&other[1..]), None);
        }
    }
    assert_eq!(feed.datagram(&vec![0; 328]), None);
    assert_eq!((feed.datagram(&vec![0; 408]), feed.datagram(&vec![0; 212])), (None, None));
}

#[test]
fn any_bytes_are_decoded_without_a_panic() {
    let mut noise = Noise(5);
    for round in 0..3_000 {
        let mut bytes = noise.bytes(round % 420);
        assert_eq!(GAME.rules.datagram(&bytes, &mut Vec::new()), None);
        if let Some(front) = bytes.first_chunk_mut() {
            *front = [b'a', 0, 0, 0, 0x48, 1, 0, 0];
        }
        let mut feed = Feed::new(&GAME);
        for stream in GAME.streams {
            feed.frame(stream.name, &bytes);
            let _ = (feed.session_key(), feed.about());
            assert!(feed.laps.position.is_none_or(|position| (0.0..=1.0).contains(&position)));
            assert!(
                feed.sample.speed_kmh.is_none_or(f32::is_finite) && feed.sample.lateral_g.is_none_or(f32::is_finite)
            );
        }
    }
}

#[test]
fn a_real_capture_is_a_lap_out_of_the_pits_at_monza() {
    let Some(data) = support::real_data("a_real_capture_is_a_lap_out_of_the_pits_at_monza") else { return };
    let file = std::fs::read(data.join("ac-remote-telemetry/ac_monza_r8_328B_a.bin")).unwrap();
    let mut feed = Feed::new(&GAME);
    let (mut messages, mut in_box, mut top_kmh) = (0, 0, 0_f32);
    let (mut before, mut sum) = (Vec::new(), [0.0_f64; 3]);
    for datagram in file.chunks_exact(328) {
        assert_eq!(feed.datagram(datagram), Some("car"));
        messages += 1;
        let (sample, laps) = (feed.sample, feed.laps);
        in_box += u32::from(laps.pit == Some(Pit::Box));
        top_kmh = top_kmh.max(sample.speed_kmh.unwrap());
        assert_eq!((laps.laps_completed, laps.last_ms, feed.presence()), (Some(0), None, Presence::Live));
        assert!((0..=6).contains(&sample.gear.unwrap()) && (800.0..9_500.0).contains(&sample.rpm.unwrap()));
        // The course turns to the side of the lateral acceleration.
        before.push((laps.running_ms.unwrap(), sample.world_m.unwrap(), f64::from(sample.lateral_g.unwrap())));
        if let [.., (from_ms, a, _), _, _, _, _, (_, b, said), _, _, _, _, (to_ms, c, _)] = before[..]
            && sample.speed_kmh.unwrap() > 40.0
            && (100..400).contains(&(to_ms - from_ms))
        {
            let half_s = f64::from(to_ms - from_ms) / 2000.0;
            let [(x0, z0), (x1, z1)] =
                [(a, b), (b, c)].map(|(a, b)| (f64::from(b[0] - a[0]) / half_s, f64::from(b[2] - a[2]) / half_s));
            let right_g = ((z1 - z0) * x0 - (x1 - x0) * z0) / x0.hypot(z0).max(1.0) / half_s / 9.806_65;
            if right_g.abs() < 4.0 {
                sum = [sum[0] + right_g * said, sum[1] + right_g * right_g, sum[2] + said * said];
            }
        }
    }
    assert_eq!((messages, in_box), (4320, 320));
    assert!((150.0..330.0).contains(&top_kmh), "{top_kmh}");
    assert!(sum[0] / (sum[1] * sum[2]).sqrt() > 0.9, "{sum:?}");
    // The lap goes on at the end.
    assert_eq!(feed.laps.running_ms, Some(284_948));
    assert!((feed.laps.position.unwrap() - 0.4958).abs() < 1e-4, "{:?}", feed.laps.position);
}
