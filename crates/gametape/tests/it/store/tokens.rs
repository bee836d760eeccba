use gametape::laps::Id;
use gametape::store::{Scope, Store};

use super::place::Place;

pub fn a_token_is_known_until_it_is_revoked(place: &Place) {
    let store = place.open();
    let (read, read_secret) = store.add_token("rig", Scope::Read).unwrap();
    let (write, write_secret) = store.add_token("rig", Scope::Write).unwrap();
    assert_ne!(read_secret, write_secret);
    let found = store.token(&write_secret).unwrap().unwrap();
    assert_eq!((found.id, found.scope, found.name.as_str()), (write.id, Scope::Write, "rig"));
    assert_eq!(store.token(&read_secret).unwrap().unwrap().id, read.id);
    for wrong in ["", "gametape_", &write_secret[1..], &write_secret.to_uppercase(), &format!("{write_secret}0")] {
        assert_eq!(store.token(wrong).unwrap(), None, "{wrong}");
    }
    // The secret is not stored.
    assert!(!place.dump("tokens").concat().contains(write_secret.strip_prefix("gametape_").unwrap()));
    store.revoke_token(write.id).unwrap();
    assert_eq!(store.token(&write_secret).unwrap(), None);
    let all = store.tokens().unwrap();
    assert_eq!(all.iter().map(|token| token.revoked_us.is_some()).collect::<Vec<_>>(), [false, true]);
    assert!(all[0].used_us.is_some());
    assert!(store.revoke_token(Id([9; 16])).is_err());
}
