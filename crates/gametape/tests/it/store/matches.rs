use std::sync::Arc;

use gametape::format::StreamSpec;
use gametape::format::TapeId;
use gametape::format::write::{StdFiles, WriteOptions, Writer};
use gametape::matches::{METADATA_KEY, MatchEvent, MatchFacts, MatchPlayer, MatchTeam};
use gametape::store::catalogue::{Look, look};
use gametape::store::{Change, MatchQuery, NameFilter, Store, StoredMatch};

use super::place::Place;

fn a_match(id: u8, game: &str, map: &str, players: &[&str], started_s: Option<i64>) -> StoredMatch {
    let player = |name: &&str| MatchPlayer { name: Some((*name).to_owned()), team: Some(0), ..MatchPlayer::default() };
    let facts = MatchFacts {
        game: game.into(),
        map: Some(map.into()),
        started_utc_ns: started_s.map(|seconds| seconds * 1_000_000_000),
        teams: vec![MatchTeam { number: 0, score: Some(id.into()), ..MatchTeam::default() }],
        players: players.iter().map(player).collect(),
        ..MatchFacts::default()
    };
    let events = (0..3).map(|n| MatchEvent { at_ns: n * 7, kind: "goal".into(), text: format!("{n}:0 \"x\"") });
    StoredMatch { tape: TapeId([id; 16]), facts, events: events.collect(), events_left_out: u32::from(id) }
}

fn ids(found: Vec<StoredMatch>) -> Vec<u8> {
    found.into_iter().map(|found| found.tape.0[0]).collect()
}

pub fn matches_come_back_as_they_were_newest_first_in_pages(place: &Place) {
    let store = place.open();
    // Match 4 has no time, match 5 only a local one.
    let mut all: Vec<StoredMatch> = (1..=4u8)
        .map(|id| a_match(id, "rocket-league", "Park", &["Player 1"], (id < 4).then(|| i64::from(id) * 100)))
        .collect();
    let mut local = a_match(5, "fortnite", "Island", &[], None);
    local.facts.dated_local = Some("1970-01-01 00:04:10".into());
    all.push(local);
    for one in &all {
        assert_eq!(store.put_match(one).unwrap(), Change::New);
        assert_eq!(store.match_on(one.tape).unwrap().as_ref(), Some(one));
    }
    assert_eq!(store.match_on(TapeId([9; 16])).unwrap(), None);
    let (mut pages, mut after) = (Vec::new(), None);
    loop {
        let page = store.matches(&MatchQuery { limit: 2, after, ..MatchQuery::default() }).unwrap();
        assert!(page.items.iter().all(|found| found.events.is_empty()), "lists have no events");
        pages.push(ids(page.items));
        after = page.next;
        if after.is_none() {
            break;
        }
    }
    assert_eq!(pages, [vec![3, 5], vec![2, 1], vec![4]]);
}

pub fn matches_are_filtered_by_game_player_map_and_time(place: &Place) {
    let store = place.open();
    for one in [
        a_match(1, "rocket-league", "Stadium_P", &["Player 1", "Player 2"], Some(100)),
        a_match(2, "rocket-league", "Park_P", &["PLAYER 1", "100%"], Some(200)),
        a_match(3, "starcraft-2", "Lost Temple", &["Player 2"], Some(300)),
        a_match(4, "warcraft-3", "(4)Lost Temple", &[], None),
    ] {
        store.put_match(&one).unwrap();
    }
    let found = |query: MatchQuery| ids(store.matches(&query).unwrap().items);
    let none = MatchQuery::default();
    assert_eq!(found(MatchQuery { game: Some("rocket-league".into()), ..none.clone() }), [2, 1]);
    let player = |name: NameFilter| found(MatchQuery { player: Some(name), ..MatchQuery::default() });
    assert_eq!(player(NameFilter::Is("Player 2".into())), [3, 1]);
    assert_eq!(player(NameFilter::Is("Player 1".into())), [1]);
    assert_eq!(player(NameFilter::Contains("player 1".into())), [2, 1]);
    assert_eq!(player(NameFilter::Contains("%".into())), [2], "no pattern");
    assert_eq!(player(NameFilter::Contains("nobody".into())), Vec::<u8>::new());
    assert_eq!(found(MatchQuery { map: Some(NameFilter::Contains("park".into())), ..none.clone() }), [2]);
    let times = MatchQuery { from_us: Some(100_000_000), to_us: Some(300_000_000), ..none.clone() };
    assert_eq!(found(times), [2, 1]);
    let before = MatchQuery { to_us: Some(300_000_000), ..none };
    assert_eq!(found(before), [2, 1], "a match without a date was not played in 1970");
}

pub fn writing_a_match_again_changes_no_row_and_a_new_reading_replaces_it(place: &Place) {
    let store = place.open();
    let one = a_match(1, "rocket-league", "Park_P", &["Player 1", "Player 2"], Some(100));
    store.put_match(&one).unwrap();
    let rows = || [place.dump("matches"), place.dump("match_players")];
    let before = rows();
    assert_eq!(store.put_match(&one).unwrap(), Change::Same);
    assert_eq!(rows(), before);
    let other = a_match(1, "rocket-league", "Park_P", &["Player 3"], Some(100));
    assert_eq!(store.put_match(&other).unwrap(), Change::Changed);
    assert_eq!(store.match_on(one.tape).unwrap(), Some(other));
    assert_eq!(place.dump("match_players").len(), 1);
}

pub fn the_catalogue_puts_the_match_of_a_tape_into_the_store(place: &Place) {
    let folder = tempfile::tempdir().unwrap();
    let write = |id: u8, facts: Option<&str>| {
        let path = folder.path().join(format!("{id}.gtape"));
        let mut writer = Writer::create(Arc::new(StdFiles), &path, &WriteOptions::new(TapeId([id; 16]))).unwrap();
        let spec = StreamSpec { game: "rocket-league".into(), ..StreamSpec::rows("replay") };
        let stream = writer.add_stream(spec).unwrap();
        writer.append(stream, 0, b"file").unwrap();
        facts.iter().for_each(|facts| writer.metadata(0, METADATA_KEY, facts).unwrap());
        writer.event(5, "import_problem", "byte 7: something").unwrap();
        for _ in 0..if id == 1 { 2003 } else { 1 } {
            writer.event(10, "goal", "1:0 Player 1, team 0").unwrap();
        }
        writer.finish().unwrap();
    };
    let kept = a_match(1, "rocket-league", "Park_P", &["Player 1"], Some(100)).facts;
    write(1, Some(&kept.to_text()));
    write(2, None);
    write(3, Some("{\"game\": 7}"));
    let store = place.open();
    let folders = [folder.path().to_owned()];
    let scan = || {
        look(&store, &Look { place: "rig", folders: &folders, except: &[], elsewhere: false, checksums: false })
            .unwrap()
    };
    assert_eq!(scan().new.len(), 3);
    let page = store.matches(&MatchQuery::default()).unwrap();
    assert_eq!(ids(page.items), [1]);
    let found = store.match_on(TapeId([1; 16])).unwrap().unwrap();
    assert_eq!(found.facts, kept);
    let goal = MatchEvent { at_ns: 10, kind: "goal".into(), text: "1:0 Player 1, team 0".into() };
    assert_eq!((found.events.len(), found.events_left_out), (2000, 3));
    assert!(found.events.iter().all(|event| *event == goal), "problems of the import are not moments of the match");
    // The match stays when the file goes, as laps do.
    std::fs::remove_file(folder.path().join("1.gtape")).unwrap();
    assert_eq!(scan().missing.len(), 1);
    assert!(store.match_on(TapeId([1; 16])).unwrap().is_some());
}
