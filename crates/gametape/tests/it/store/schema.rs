use gametape::laps::TrackedSession;
use gametape::store::{Audience, ListQuery, MatchQuery, Store, StoreError, open};

use super::place::Place;
use super::sample::{car, origin, session, tracked, writes};

/// Each released schema with sample rows, as SQL.
const SCHEMAS: &[(i64, &str)] = &[
    (1, include_str!("schemas/1.sql")),
    (2, include_str!("schemas/2.sql")),
    (3, include_str!("schemas/3.sql")),
    (4, include_str!("schemas/4.sql")),
    (5, include_str!("schemas/5.sql")),
    (6, include_str!("schemas/6.sql")),
    (7, include_str!("schemas/7.sql")),
];

pub fn a_store_is_made_and_opened_again(place: &Place) {
    place.open().write(&origin(1), &writes(&tracked(&session(1, 0), &[100_000]))).unwrap();
    // Also when several programs open it at once.
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let found = place.open().sessions(&ListQuery::default(), Audience::Owner).unwrap();
                assert_eq!(found.items.len(), 1);
            });
        }
    });
}

pub fn a_store_of_a_newer_program_is_refused(place: &Place) {
    place.open();
    place.run("UPDATE gametape_schema SET version = 1000");
    let error = open(&place.url()).err().unwrap();
    assert!(matches!(error, StoreError::Newer { found: 1000, .. }), "{error}");
    assert!(error.to_string().contains("newer gametape"), "{error}");
}

pub fn a_database_of_another_program_is_refused(place: &Place) {
    place.run("CREATE TABLE recipes (cake TEXT)");
    let error = open(&place.url()).err().unwrap();
    assert!(matches!(&error, StoreError::NotAStore { table, .. } if table == "recipes"), "{error}");
    assert_eq!(place.dump("recipes"), Vec::<String>::new());
}

pub fn every_earlier_schema_is_brought_up_to_date(place: &Place) {
    place.open();
    let made_anew = place.columns();
    place.clear();
    for (version, sql) in SCHEMAS {
        place.run(&place.translate(sql));
        let store = place.open();
        let found = store.sessions(&ListQuery::default(), Audience::Owner).unwrap().items;
        assert_eq!(found.len(), 1, "schema {version}");
        let found = store.session(found[0].session.id, Audience::Owner).unwrap().unwrap();
        assert_eq!(found.session.best_ms, Some(99_000), "schema {version}");
        assert_eq!(found.laps.len(), 2, "schema {version}");
        assert_eq!(found.laps[0].remarks.note.as_deref(), Some("kerb"), "schema {version}");
        assert!(found.laps[0].lap.excluded, "schema {version}");
        assert_eq!(store.tokens().unwrap().len(), usize::from(*version >= 2), "schema {version}");
        let facts = store.track_facts("assetto-corsa-competizione", "Spa", None).unwrap();
        assert_eq!(facts.is_some_and(|facts| facts.length_m == Some(7004.0)), *version >= 3, "schema {version}");
        let cars = store.standings(found.session.session.id, Audience::Public).unwrap().unwrap();
        let laps: Vec<_> = cars.iter().map(|stored| (stored.car.name.as_deref(), stored.car.laps.len())).collect();
        assert_eq!(laps, if *version >= 5 { vec![(Some("Driver 2"), 1)] } else { vec![] }, "schema {version}");
        assert!(
            !found.session.session.foreign && !found.laps[1].foreign && found.laps[1].lap.eligible,
            "schema {version}"
        );
        let bests = store.bests(&ListQuery::default(), Audience::Owner).unwrap().items;
        assert_eq!(bests.first().map(|best| best.time_ms), Some(99_000), "schema {version}");
        let matches = store.matches(&MatchQuery::default()).unwrap().items;
        assert_eq!(matches.len(), usize::from(*version >= 7), "schema {version}");
        for found in matches {
            assert_eq!(store.match_on(found.tape).unwrap().unwrap().events.len(), 1, "schema {version}");
        }
        // The columns are those of a newly created store.
        assert_eq!(place.columns(), made_anew, "schema {version}");
        // The migrated store is fully usable.
        let race = TrackedSession { cars: vec![car(2, 1, &[79_000])], ..tracked(&session(9, 1), &[80_000]) };
        store.write(&origin(9), &writes(&race)).unwrap();
        assert_eq!(store.standings(race.session.id, Audience::Public).unwrap().unwrap()[0].car, race.cars[0]);
        assert_eq!(store.sessions(&ListQuery::default(), Audience::Owner).unwrap().items.len(), 2);
        place.clear();
    }
}

/// The last schema stored as text must be the newest one: whoever adds a migration must add its schema too.
pub fn the_newest_schema_is_kept_as_text(place: &Place) {
    place.open();
    let newest = format!("{:?}", place.dump("gametape_schema"));
    let kept = SCHEMAS.last().unwrap().0;
    assert!(newest.contains(&kept.to_string()), "{newest} is not {kept}");
}
