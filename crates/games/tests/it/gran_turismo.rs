//! Gran Turismo: packets, states and laps; real bytes if there are any.
use crate::datagram_feed::{Feed, Noise, assert_only, put};
use crate::support;

use gametape_games::gran_turismo::{GT_SPORT, GT7};
use gametape_games::{Presence, SessionKind};

const ON_TRACK: u16 = 1;
const PAUSED: u16 = 2;
const LOADING: u16 = 4;

/// A plain packet of a car on the track.
fn packet(bytes: usize, id: i32, lap: i16, total: i16, last_ms: i32) -> Vec<u8> {
    let mut packet = vec![0; bytes];
    put(&mut packet, 0, *b"0S7G");
    put(&mut packet, 0x04, 100_f32.to_le_bytes());
    put(&mut packet, 0x40, id.wrapping_mul(0x1234_5671).to_le_bytes());
    put(&mut packet, 0x4C, 50_f32.to_le_bytes());
    put(&mut packet, 0x70, id.to_le_bytes());
    put(&mut packet, 0x74, lap.to_le_bytes());
    put(&mut packet, 0x76, total.to_le_bytes());
    put(&mut packet, 0x78, last_ms.to_le_bytes());
    put(&mut packet, 0x7C, last_ms.to_le_bytes());
    put(&mut packet, 0x8E, ON_TRACK.to_le_bytes());
    put(&mut packet, 0x90, [0xF3, 255, 51]);
    put(&mut packet, 0x124, 3311_i32.to_le_bytes());
    if bytes == 368 {
        put(&mut packet, 0x15C, 1234_i32.to_le_bytes());
    }
    packet
}

fn encrypted(game: &gametape_games::Game, stream: &str, packet: &[u8]) -> Vec<u8> {
    let mut datagram = Vec::new();
    game.rules.sent_datagram(stream, packet, &mut datagram);
    datagram
}

#[test]
fn every_kind_is_a_stream_with_a_layout_of_its_length() {
    for (stream, bytes) in [("a", 296), ("b", 316), ("tilde", 344), ("c", 368)] {
        assert_eq!(GT7.stream(stream).unwrap().lengths().collect::<Vec<_>>(), [bytes]);
    }
    let at = |name: &str| GT7.stream("c").unwrap().layouts()[0].channel(name).unwrap().offset;
    assert_eq!((at("engineRpm"), at("iv"), at("packetId"), at("flags")), (0x3C, 0x40, 0x70, 0x8E));
    assert_eq!((at("roadPlaneNormal"), at("clutchPedal"), at("carCode")), (0x94, 0xF4, 0x124));
    assert_eq!((at("sway"), at("torqueVectoring"), at("currentLapTime"), at("category")), (0x130, 0x140, 0x15C, 0x16C));
    assert_eq!(GT_SPORT.stream("a").unwrap().lengths().collect::<Vec<_>>(), [296]);
}

#[test]
fn datagrams_are_recognized_by_what_they_decrypt_to() {
    for (stream, bytes) in [("a", 296), ("b", 316), ("tilde", 344), ("c", 368)] {
        let datagram = encrypted(&GT7, stream, &packet(bytes, 7, 2, 5, 90_000));
        let mut feed = Feed::new(&GT7);
        assert_eq!(feed.datagram(&datagram), Some(stream));
        assert_eq!((feed.presence(), feed.about().car.as_deref()), (Presence::Live, Some("car 3311")));
        assert_eq!((feed.sample.speed_kmh, feed.sample.gear, feed.sample.throttle), (Some(180.0), Some(3), Some(1.0)));
        assert_eq!((feed.sample.brake, feed.sample.laps_completed), (Some(0.2), Some(1)));
        assert_eq!(feed.sample.lap_time_ms, (bytes == 368).then_some(1234));
        assert_only(&GT7, &datagram);
        assert_eq!(feed.datagram(&packet(bytes, 7, 2, 5, 90_000)), None, "games never send plain packets");
        // The packet of a future version, perhaps.
        let cut = &datagram[..bytes - 1];
        assert_eq!(feed.datagram(cut), (bytes > 296).then_some("raw"));
    }
}

#[test]
fn gran_turismo_6_is_decoded_in_big_endian() {
    let mut packet = packet(296, 0, 0, 0, 0);
    put(&mut packet, 0, *b"G6S0");
    put(&mut packet, 0x4C, 50_f32.to_be_bytes());
    put(&mut packet, 0x70, 77_i32.to_be_bytes());
    put(&mut packet, 0x74, 3_i16.to_be_bytes());
    put(&mut packet, 0x7C, 81_234_i32.to_be_bytes());
    put(&mut packet, 0x8E, ON_TRACK.to_be_bytes());
    put(&mut packet, 0x124, 1042_i32.to_be_bytes());
    let datagram = encrypted(&GT_SPORT, "gt6", &packet);
    let mut feed = Feed::new(&GT_SPORT);
    assert_eq!((feed.datagram(&datagram), feed.presence()), (Some("gt6"), Presence::Live));
    assert_eq!((feed.sample.speed_kmh, feed.sample.last_lap_ms), (Some(180.0), Some(81_234)));
    assert_eq!((feed.laps.laps_completed, feed.laps.counter), (Some(2), Some(77)));
    assert_eq!(feed.about().car.as_deref(), Some("car 1042"));
    assert_only(&GT_SPORT, &datagram);
}

#[test]
fn flags_tell_driving_from_pauses_demo_cars_and_menus() {
    let presence = |flags: u16, lap: i16| {
        let mut packet = packet(368, 7, lap, 0, -1);
        put(&mut packet, 0x8E, flags.to_le_bytes());
        let mut feed = Feed::new(&GT7);
        feed.frame("c", &packet);
        assert_eq!((feed.sample.presence, feed.laps.presence), (Some(feed.presence()), feed.presence()));
        assert_eq!(feed.session_key().is_some(), matches!(feed.presence(), Presence::Live | Presence::Paused));
        if feed.presence() == Presence::Off {
            assert_eq!((feed.sample.gear, feed.sample.lap_time_ms, feed.about().car), (None, None, None));
        }
        feed.presence()
    };
    assert_eq!(presence(ON_TRACK, 1), Presence::Live);
    assert_eq!(presence(ON_TRACK | PAUSED, 1), Presence::Paused);
    assert_eq!(presence(ON_TRACK | LOADING, 1), Presence::Off);
    assert_eq!(presence(0x18, 1), Presence::Replay, "a demo car in gear");
    assert_eq!(presence(0, -1), Presence::Off, "the menus");
}

#[test]
fn laps_of_a_race_end_with_the_last_one() {
    let mut feed = Feed::new(&GT7);
    let mut at = |id, lap, last_ms| {
        assert_eq!(feed.datagram(&encrypted(&GT7, "a", &packet(296, id, lap, 2, last_ms))), Some("a"));
        assert!(feed.is_lap_frame);
        feed.laps
    };
    let start = at(100, 1, -1);
    assert_eq!((start.kind, start.laps_completed, start.last_ms), (SessionKind::Race, Some(0), None));
    let line = at(160, 2, 90_123);
    assert_eq!((line.laps_completed, line.last_ms, line.on_lap), (Some(1), Some(90_123), Some(true)));
    assert_eq!((line.game_ms, line.running_ms), (Some(1000.0), None));
    let flag = at(166, 3, 91_456);
    assert_eq!((flag.laps_completed, flag.last_ms, flag.on_lap), (Some(2), Some(91_456), Some(true)));
    assert_eq!(at(167, 3, 91_456).on_lap, Some(false), "the lap after the race is none");
    assert_eq!(feed.identity().car.as_deref(), Some("car 3311"));
}

#[test]
fn the_clock_stops_in_pauses_and_restarts_with_the_game() {
    let mut feed = Feed::new(&GT7);
    let mut at = |id: i32, flags: u16| {
        let mut packet = packet(296, id, 1, 0, -1);
        put(&mut packet, 0x8E, flags.to_le_bytes());
        feed.frame("a", &packet);
        feed.laps.game_ms.unwrap()
    };
    at(1_000, ON_TRACK);
    assert_eq!(at(1_060, ON_TRACK), 1_000.0);
    assert_eq!(at(1_090, ON_TRACK | PAUSED), 1_000.0);
    assert_eq!(at(1_120, ON_TRACK), 1_500.0);
    assert_eq!((at(1_119, ON_TRACK), at(1_126, ON_TRACK)), (1_500.0, 1_600.0), "a packet that was overtaken");
    assert_eq!(at(10, ON_TRACK), 0.0);
}

#[test]
fn the_out_lap_of_a_time_trial_is_before_the_first_line() {
    let mut feed = Feed::new(&GT7);
    feed.frame("a", &packet(296, 1, 0, 0, -1));
    assert_eq!((feed.laps.laps_completed, feed.laps.before_first_line), (Some(0), true));
    feed.frame("a", &packet(296, 2, 1, 0, -1));
    assert_eq!((feed.laps.laps_completed, feed.laps.before_first_line), (Some(0), false));
    assert_eq!(feed.laps.kind, SessionKind::Unknown);
}

#[test]
fn another_car_or_number_of_laps_is_another_session() {
    let key = |car: i32, total: i16| {
        let mut packet = packet(296, 1, 1, total, -1);
        put(&mut packet, 0x124, car.to_le_bytes());
        let mut feed = Feed::new(&GT7);
        feed.frame("a", &packet);
        feed.session_key()
    };
    assert_eq!(key(3311, 5), key(3311, 5));
    assert!(key(3311, 5) != key(3312, 5) && key(3311, 5) != key(3311, 0));
    assert_eq!(key(0.85_f32.to_bits().cast_signed(), 5), None, "the ratio of a ninth gear is not a car");
}

#[test]
fn any_bytes_are_decoded_without_a_panic() {
    let mut noise = Noise(42);
    for round in 0..3_000 {
        let bytes = noise.bytes(round % 420);
        for game in [&GT7, &GT_SPORT] {
            assert_eq!(game.rules.datagram(&bytes, &mut Vec::new()), None);
            for stream in game.streams {
                let mut packet = bytes.clone();
                if let Some(magic) = packet.first_chunk_mut() {
                    *magic = if stream.name == "gt6" { *b"G6S0" } else { *b"0S7G" };
                }
                let mut feed = Feed::new(game);
                feed.frame(stream.name, &packet);
                let _ = (feed.presence(), feed.session_key(), feed.about());
                if feed.presence() == Presence::Off {
                    assert_eq!((feed.sample.lap_time_ms, feed.session_key()), (None, None));
                }
                game.rules.sent_datagram(stream.name, &packet, &mut Vec::new());
            }
        }
    }
}

#[test]
fn a_real_datagram_of_packet_a_is_decrypted() {
    let Some(data) = support::real_data("a_real_datagram_of_packet_a_is_decrypted") else { return };
    let datagram = std::fs::read(data.join("gt7/gt7_A_encrypted_1.bin")).unwrap();
    let mut feed = Feed::new(&GT7);
    assert_eq!(feed.datagram(&datagram), Some("a"));
    // Its flags are 0x08: in gear, but not on the track.
    assert_eq!((feed.presence(), feed.about().car.as_deref()), (Presence::Replay, Some("car 3311")));
    let sample = &feed.sample;
    assert_eq!((sample.last_lap_ms, sample.best_lap_ms), (Some(139_965), Some(139_965)));
    assert_eq!((sample.laps_completed, feed.laps.laps_completed), (Some(3), Some(3)));
    assert!((sample.rpm.unwrap() - 7973.8).abs() < 0.05, "{:?}", sample.rpm);
    assert!((sample.speed_kmh.unwrap() / 3.6 - 55.63).abs() < 0.005, "{:?}", sample.speed_kmh);
    // Wheels turn as fast as the car moves.
    let wheel_m_s = sample.wheels[0].angular_speed_rad_s.unwrap() * 0.33;
    assert!((45.0..65.0).contains(&wheel_m_s), "{wheel_m_s}");
    assert_only(&GT7, &datagram);
}

#[test]
fn a_real_lap_of_packet_c_is_a_demo_car() {
    let Some(data) = support::real_data("a_real_lap_of_packet_c_is_a_demo_car") else { return };
    let file = std::fs::read(data.join("gt7/gt7_C_lap_decrypted_368B_a.bin")).unwrap();
    let mut feed = Feed::new(&GT7);
    let (mut packets, mut before) = (0, None);
    let (mut turned, mut sum) = (0, [0.0_f64; 3]);
    for packet in file.chunks_exact(368) {
        // Already decrypted: the word at 0x40 is whatever it was, and serves as iv.
        assert_eq!(feed.datagram(&encrypted(&GT7, "c", packet)), Some("c"));
        assert_eq!(feed.presence(), Presence::Replay, "a demo car's laps are not the player's");
        packets += 1;
        let number = |at: usize| f32::from_le_bytes(packet[at..at + 4].try_into().unwrap());
        let (vx, vz) = (number(0x10), number(0x18));
        let sample = feed.sample;
        let speed = sample.speed_kmh.unwrap() / 3.6;
        assert!((15.0..105.0).contains(&speed) && (vx.hypot(vz) - speed).abs() < 3.0, "{speed} {vx} {vz}");
        let off =
            (sample.heading_rad.unwrap() - vx.atan2(-vz) + std::f32::consts::PI).rem_euclid(std::f32::consts::TAU);
        assert!((off - std::f32::consts::PI).abs() < 0.3, "the car points where it goes: {off}");
        // The acceleration to the right is what turns the velocity.
        if let Some((old_x, old_z)) = before.replace((vx, vz)) {
            let right = f64::from((vz - old_z) * vx - (vx - old_x) * vz) / f64::from(speed) * 60.0 / 9.806_65;
            let said = f64::from(sample.lateral_g.unwrap());
            if right.abs() < 5.0 {
                turned += 1;
                sum = [sum[0] + right * said, sum[1] + right * right, sum[2] + said * said];
            }
        }
    }
    assert_eq!(packets, 3400);
    let correlation = sum[0] / (sum[1] * sum[2]).sqrt();
    assert!(turned > 3000 && correlation > 0.9, "{turned} {correlation}");
    let laps = feed.laps;
    assert_eq!((laps.laps_completed, laps.last_ms, feed.about().car.as_deref()), (Some(0), None, Some("car 3582")));
    assert!((55_000..58_000).contains(&laps.running_ms.unwrap()), "{:?}", laps.running_ms);
}
