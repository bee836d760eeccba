//! Invariants of every game, and the tables of the games that have them.
#![allow(clippy::unwrap_used, clippy::panic)]
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use gametape_games::{About, Channel, CopyRule, GAMES, Kind, Layout, Presence, Seen, ac, acc, ace, acr, find_game};

#[test]
fn ids_and_aliases_are_unique_and_kebab_case() {
    let mut seen = HashSet::new();
    for game in GAMES {
        for name in [game.id].iter().chain(game.aliases) {
            assert!(seen.insert(*name), "{name} is used twice");
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(name.chars().all(plain), "{name}");
        }
        assert!(!game.name.is_empty() && !game.streams.is_empty(), "{}", game.id);
    }
    assert!(GAMES.is_sorted_by_key(|game| game.id));
}

#[test]
fn every_game_has_what_a_game_needs() {
    for game in GAMES {
        let id = game.id;
        // A game that sends datagrams may run on a console.
        let is_here = game.streams.iter().any(|stream| stream.is_live() && stream.udp_port().is_none());
        assert!(!game.streams.is_empty() && (!game.processes.is_empty() || !is_here), "{id}");
        assert!(game.default_hz.is_none_or(|hz| (1..=1000).contains(&hz)), "{id}");
        assert!(game.udp_port().is_none() || !game.setup.is_empty(), "{id}");
        assert!(game.proven.what().is_none_or(|what| !what.is_empty()), "{id}");
        for stream in game.streams {
            let counter = match stream.copy_rule {
                CopyRule::CounterAndSecondCopy { counter_offset } => Some(counter_offset),
                CopyRule::EvenSequence { sequence_offset } => Some(sequence_offset),
                _ => None,
            };
            for layout in stream.layouts() {
                assert!(counter.is_none_or(|at| at + 4 <= layout.frame_bytes()), "{id} {}", stream.name);
            }
            if let Some((port, path)) = stream.endpoint() {
                assert!(port > 0 && path.starts_with('/') && stream.copy_rule == CopyRule::Whole, "{id} {path}");
            }
            if let (Some(section), Some(section_bytes)) = (stream.section(), stream.section_bytes()) {
                assert!(!section.is_empty() && !section.contains(['\\', '/']), "{id} {section}");
                let fits = |layout: &&Layout| layout.frame_bytes() <= section_bytes;
                assert!(stream.layouts().iter().all(fits), "{id} {}", stream.name);
            }
        }
        let nothing = Seen(&[]);
        assert_eq!(game.rules.presence(nothing), Presence::Off, "{id}");
        assert_eq!((game.rules.is_it(nothing), game.rules.session_key(nothing)), (None, None), "{id}");
        assert_eq!((game.rules.counter(nothing), game.rules.about(nothing)), (None, About::default()), "{id}");

        // Games of a series share a folder; the names of their test cases begin with the id.
        let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let (series, _) = id.rsplit_once('-').unwrap_or((id, ""));
        let (folder, prefix) = match src.join(id.replace('-', "_")) {
            own if own.is_dir() => (own, ""),
            _ => (src.join(series.replace('-', "_")), id),
        };
        let cases = std::fs::read_dir(folder.join("testcases"));
        let cases = cases.unwrap_or_else(|error| panic!("{id} has no testcases in {}: {error}", folder.display()));
        let cases = cases.map(|case| case.unwrap().path());
        let is_own = |case: &PathBuf| case.file_name().unwrap().to_string_lossy().starts_with(prefix);
        let cases: Vec<_> = cases.filter(is_own).collect();
        assert!(!cases.is_empty(), "{id}");
        for file in cases.iter().flat_map(|case| ["frames.gtape", "expected.txt"].map(|name| case.join(name))) {
            assert!(file.is_file(), "{} is missing", file.display());
        }
    }
}

#[test]
fn games_that_share_a_port_agree_whether_it_is_broadcast_to() {
    let streams = || GAMES.iter().flat_map(|game| game.streams.iter().map(move |stream| (game.id, stream)));
    let sent = || streams().filter(|(_, stream)| stream.udp_port().is_some_and(|port| port > 0));
    for (id, stream) in sent() {
        let same_port = sent().filter(|(_, other)| other.udp_port() == stream.udp_port());
        for (other_id, other) in same_port {
            assert_eq!(stream.is_broadcast(), other.is_broadcast(), "{id} and {other_id}");
        }
    }
    let ids: HashSet<_> = streams().filter(|(_, stream)| stream.is_broadcast()).map(|(id, _)| id).collect();
    assert_eq!(ids, HashSet::from(["automobilista-2", "project-cars"]));
}

#[test]
fn games_are_found_by_id_and_alias() {
    assert_eq!(find_game("acc").unwrap().id, "assetto-corsa-competizione");
    assert_eq!(find_game("Assetto-Corsa-Competizione").unwrap().id, "assetto-corsa-competizione");
    assert_eq!(find_game("ir").unwrap().id, "iracing");
    assert_eq!(find_game("AC").unwrap().id, "assetto-corsa");
    assert_eq!(find_game("ace").unwrap().id, "assetto-corsa-evo");
    assert_eq!(find_game("acevo").unwrap().id, "assetto-corsa-evo");
    assert_eq!(find_game("acr").unwrap().id, "assetto-corsa-rally");
    assert_eq!(find_game("echovr").unwrap().id, "echo-vr");
    assert!(find_game("").is_none() && find_game("assetto").is_none());
}

#[test]
fn every_table_is_a_sound_layout_in_ascending_order() {
    let mut ids = HashSet::new();
    for game in GAMES {
        let mut names = HashSet::new();
        for stream in game.streams {
            assert!(names.insert(stream.name), "{} {}", game.id, stream.name);
            let mut lengths = HashSet::new();
            for layout in stream.layouts() {
                let checked = Layout::new(layout.id().to_owned(), layout.frame_bytes(), layout.channels().to_vec());
                assert_eq!(&checked.unwrap(), *layout, "{}", layout.id());
                assert!(layout.channels().is_sorted_by_key(|channel| channel.offset), "{}", layout.id());
                assert!(ids.insert(layout.id()) && lengths.insert(layout.frame_bytes()), "{}", layout.id());
                assert_eq!(stream.layout_of(layout.frame_bytes()), Some(*layout));
            }
        }
    }
}

#[test]
fn units_of_tables_are_short_ascii() {
    let layouts = GAMES.iter().flat_map(|game| game.streams).flat_map(|stream| stream.layouts());
    for channel in layouts.flat_map(|layout| layout.channels()) {
        let plain = channel.unit.chars().all(|c| c.is_ascii_graphic());
        assert!(channel.unit.len() <= 8 && plain, "{}: {}", channel.name, channel.unit);
    }
}

/// Bytes that no channel covers, as (offset, length).
fn gaps(layout: &Layout) -> Vec<(u64, u64)> {
    let mut gaps = Vec::new();
    let mut end = 0;
    for channel in layout.channels() {
        let offset = u64::from(channel.offset);
        if offset > end {
            gaps.push((end, offset - end));
        }
        end = channel.end();
    }
    if end < u64::from(layout.frame_bytes()) {
        gaps.push((end, u64::from(layout.frame_bytes()) - end));
    }
    gaps
}

#[track_caller]
fn assert_channel(layout: &Layout, name: &str, offset: u32, kind: Kind, count: u32, unit: &str) {
    let Channel { offset: o, kind: k, count: c, unit: u, .. } = layout.channel(name).unwrap();
    assert_eq!((*o, *k, *c, u.as_ref()), (offset, kind, count, unit), "{name}");
}

#[test]
fn acc_physics_covers_all_800_bytes() {
    let page = &acc::PHYSICS_800;
    assert_eq!((page.frame_bytes(), page.channels().len(), gaps(page)), (800, 85, vec![]));
    assert_channel(page, "packetId", 0, Kind::I32, 1, "");
    assert_channel(page, "speedKmh", 28, Kind::F32, 1, "km/h");
    assert_channel(page, "wheelsPressure", 88, Kind::F32, 4, "psi");
    assert_channel(page, "carDamage", 224, Kind::F32, 5, "");
    assert_channel(page, "tyreContactHeading", 516, Kind::F32, 12, "");
    assert_channel(page, "P2PActivations", 580, Kind::I32, 1, "");
    assert_channel(page, "discLife", 756, Kind::F32, 4, "mm");
    assert_channel(page, "absVibrations", 796, Kind::F32, 1, "");
}

#[test]
fn acc_graphics_covers_all_but_its_padding() {
    let page = &acc::GRAPHICS_1588;
    assert_eq!((page.frame_bytes(), page.channels().len()), (1588, 87));
    assert_eq!(gaps(page), [(242, 2), (1358, 2), (1394, 2), (1482, 2)]);
    assert_channel(page, "status", 4, Kind::I32, 1, "");
    assert_channel(page, "currentTime", 12, Kind::Char16, 15, "");
    assert_channel(page, "normalizedCarPosition", 248, Kind::F32, 1, "ratio");
    assert_channel(page, "carCoordinates", 256, Kind::F32, 180, "m");
    assert_channel(page, "carID", 976, Kind::I32, 60, "");
    assert_channel(page, "surfaceGrip", 1240, Kind::F32, 1, "");
    assert_channel(page, "trackStatus", 1416, Kind::Char16, 33, "");
    assert_channel(page, "strategyTyreSet", 1576, Kind::I32, 1, "");
    assert_channel(page, "gapBehind", 1584, Kind::I32, 1, "ms");
}

#[test]
fn acc_static_covers_all_but_its_padding() {
    let page = &acc::STATIC_820;
    assert_eq!((page.frame_bytes(), page.channels().len()), (820, 45));
    assert_eq!(gaps(page), [(398, 2), (590, 2), (670, 2)]);
    assert_channel(page, "track", 134, Kind::Char16, 33, "");
    assert_channel(page, "maxRpm", 412, Kind::I32, 1, "rpm");
    assert_channel(page, "trackSplineLength", 520, Kind::F32, 1, "m");
    assert_channel(page, "dryTyresName", 688, Kind::Char16, 33, "");
    assert_channel(page, "wetTyresName", 754, Kind::Char16, 33, "");
}

#[test]
fn shorter_acc_pages_are_the_longer_ones_without_their_end() {
    let (long, short) = (&acc::GRAPHICS_1588, &acc::GRAPHICS_1580);
    assert_eq!(short.channels(), &long.channels()[..85]);
    assert_eq!(short.channels().last().unwrap().end(), 1580);
    let (long, short) = (&acc::STATIC_820, &acc::STATIC_756);
    assert_eq!(short.channels(), &long.channels()[..44]);
    assert_eq!(gaps(short), [(398, 2), (590, 2), (670, 2), (754, 2)]);
}

#[test]
fn ac_pages_cover_all_but_their_padding() {
    let page = &ac::PHYSICS_580;
    assert_eq!((page.frame_bytes(), page.channels().len(), gaps(page)), (580, 60, vec![]));
    assert_channel(page, "localVelocity", 568, Kind::F32, 3, "m/s");
    let page = &ac::GRAPHICS_296;
    assert_eq!((page.frame_bytes(), page.channels().len(), gaps(page)), (296, 30, vec![(242, 2)]));
    assert_channel(page, "carCoordinates", 252, Kind::F32, 3, "m");
    assert_channel(page, "flag", 268, Kind::I32, 1, "");
    assert_channel(page, "surfaceGrip", 280, Kind::F32, 1, "ratio");
    assert_channel(page, "windDirection", 292, Kind::F32, 1, "");
    let page = &ac::STATIC_684;
    assert_eq!((page.frame_bytes(), page.channels().len()), (684, 42));
    assert_eq!(gaps(page), [(398, 2), (590, 2), (670, 2)]);
    assert_channel(page, "pitWindowEnd", 680, Kind::I32, 1, "");
}

#[test]
fn shorter_ac_pages_are_the_longer_ones_without_their_end() {
    for (long, short, last) in [
        (&ac::PHYSICS_580, &ac::PHYSICS_568, "brakeBias"),
        (&ac::GRAPHICS_296, &ac::GRAPHICS_284, "surfaceGrip"),
        (&ac::STATIC_684, &ac::STATIC_592, "trackConfiguration"),
    ] {
        assert_eq!(short.channels(), &long.channels()[..short.channels().len()]);
        assert_eq!(short.channels().last().unwrap().name, last);
        let end = short.channels().last().unwrap().end();
        assert!(u64::from(short.frame_bytes()) - end < 4, "{}", short.id());
    }
}

/// Offsets at which other programs read the pages of the running game.
#[test]
fn evo_pages_have_their_members_where_readers_find_them() {
    let page = &ace::GRAPHICS_4900;
    assert_eq!((page.frame_bytes(), page.channels().len()), (4900, 362));
    for (name, offset) in [
        ("packetId", 0),
        ("status", 4),
        ("player_car_id_a", 24),
        ("player_car_id_b", 32),
        ("tc_active", 45),
        ("abs_active", 46),
        ("gear_int", 68),
        ("gas_percent", 76),
        ("brake_percent", 80),
        ("steering_percent", 92),
        ("current_lap_time_ms", 188),
        ("npos", 1244),
        ("total_lap_count", 2384),
        ("last_laptime_ms", 2396),
        ("best_laptime_ms", 2400),
        ("driver_name", 3020),
        ("car_model", 3086),
        ("is_in_pit_lane", 3120),
        ("car_coordinates", 3124),
        ("active_cars", 3852),
        ("car_ids", 3940),
    ] {
        assert_eq!(page.channel(name).unwrap().offset, offset, "{name}");
    }
    assert_channel(page, "tyre_lf.slip", 220, Kind::F32, 1, "");
    assert_channel(page, "tyre_rr.tyre_normalized_temperature_core", 1112, Kind::F32, 1, "");
    assert_channel(page, "electronics_is_modifiable.active_performance_mode", 2295, Kind::I8, 1, "");
    assert_channel(page, "timing_state.is_invalid", 2849, Kind::Bool, 1, "");
    assert_channel(page, "assists_state.arcade_stability_control", 3876, Kind::F32, 1, "");
    assert_channel(page, "car_ids", 3940, Kind::U64, 120, "");
    assert_eq!(page.channels().last().unwrap().end(), 4900);

    let page = &ace::STATIC_208;
    assert_eq!((page.frame_bytes(), page.channels().len()), (208, 19));
    assert_eq!(gaps(page), [(30, 2), (71, 1), (87, 1), (125, 3), (202, 2)]);
    for (name, offset) in [
        ("sm_version", 0),
        ("ac_evo_version", 15),
        ("session", 32),
        ("is_online", 86),
        ("track", 136),
        ("track_configuration", 169),
        ("track_length_m", 204),
    ] {
        assert_eq!(page.channel(name).unwrap().offset, offset, "{name}");
    }
}

#[test]
fn evo_and_rally_have_the_physics_page_of_competizione() {
    for page in [&ace::PHYSICS_800, &acr::PHYSICS_800] {
        assert_eq!(
            (page.channels(), page.fingerprint()),
            (acc::PHYSICS_800.channels(), acc::PHYSICS_800.fingerprint())
        );
    }
    assert_channel(&ace::PHYSICS_800, "currentMaxRpm", 588, Kind::I32, 1, "rpm");
    assert_eq!(acr::GRAPHICS_1588.channels(), acc::GRAPHICS_1588.channels());
    assert_eq!(acr::STATIC_820.channels(), acc::STATIC_820.channels());
}

#[test]
fn evo_before_0_6_is_the_same_game_under_the_names_of_the_family() {
    let old = &ace::BEFORE_0_6;
    assert_eq!((old.id, old.streams.len()), (ace::GAME.id, 1));
    assert_eq!(old.streams[0].transport, acc::PHYSICS.transport);
    assert_eq!(old.streams[0].layouts(), ace::PHYSICS.layouts());
}

#[test]
fn ac_and_acc_pages_begin_alike() {
    for (short, long, bytes) in [
        (&ac::PHYSICS_580, &acc::PHYSICS_800, 580),
        (&ac::GRAPHICS_296, &acc::GRAPHICS_1588, 252),
        (&ac::STATIC_684, &acc::STATIC_820, 684),
    ] {
        let until = |layout: &Layout| -> Vec<Channel> {
            layout.channels().iter().filter(|channel| channel.end() <= bytes).cloned().collect()
        };
        assert_eq!(until(short), until(long));
        assert_eq!(until(short).last().unwrap().end(), bytes);
    }
}
