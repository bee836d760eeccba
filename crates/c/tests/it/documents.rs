//! Documents through C are those that `gametape` prints.

use std::path::Path;

use serde_json::Value;

use crate::client::{acc_tape, game_tape, gametape, printed, words};

fn document(test: &str, kind: &str, tape: &Path) -> Option<Value> {
    let said = printed(test, &words(&["document", kind, tape.to_str().unwrap()]))?;
    Some(serde_json::from_slice(&said).unwrap())
}

#[test]
fn laps_are_those_that_laps_prints() {
    let test = "c_laps_are_those_that_laps_prints";
    for tape in [acc_tape(), game_tape("rfactor_2", "race-of-two"), game_tape("iracing", "lap-and-pits")] {
        let Some(of_c) = document(test, "laps", &tape) else { return };
        let Some(of_cli) = gametape(test, &words(&["laps", tape.to_str().unwrap(), "--json"])) else { return };
        assert_eq!(of_c, serde_json::from_slice::<Value>(&of_cli).unwrap(), "{tape:?}");
        assert!(of_c["sessions"][0]["laps"].as_array().is_some_and(|laps| !laps.is_empty()));
    }
}

#[test]
fn the_description_has_the_members_of_info() {
    let test = "c_the_description_has_the_members_of_info";
    for tape in [acc_tape(), crate::client::golden().join("closed-1.gtape")] {
        let Some(of_c) = document(test, "describe", &tape) else { return };
        let Some(of_cli) = gametape(test, &words(&["info", tape.to_str().unwrap(), "--json"])) else { return };
        let of_cli: Value = serde_json::from_slice(&of_cli).unwrap();
        for (name, value) in of_cli.as_object().unwrap() {
            match name.as_str() {
                // What a file name, and events and matches, have to do with it is asked elsewhere.
                "path" | "events" | "match" | "echo_vr" => assert!(of_c[name].is_null()),
                "streams" => {
                    let pairs = value.as_array().unwrap().iter().zip(of_c[name].as_array().unwrap());
                    for (theirs, ours) in pairs {
                        for (name, value) in theirs.as_object().unwrap() {
                            match name.as_str() {
                                "channels" => {
                                    let count = value.as_array().unwrap().len();
                                    assert_eq!(ours[name].as_array().unwrap().len(), count);
                                    assert!((0..count).all(|i| {
                                        ["name", "type", "count", "unit"]
                                            .iter()
                                            .all(|member| ours[name][i][member] == value[i][member])
                                    }));
                                }
                                _ => assert_eq!(&ours[name], value, "{name}"),
                            }
                        }
                    }
                    assert_eq!(of_c[name].as_array().unwrap().len(), value.as_array().unwrap().len());
                }
                _ => assert_eq!(&of_c[name], value, "{name}"),
            }
        }
    }
}

#[test]
fn events_are_those_that_cat_prints() {
    let test = "c_events_are_those_that_cat_prints";
    let tape = crate::client::golden().join("closed-1.gtape");
    let Some(of_c) = document(test, "events", &tape) else { return };
    let cat = ["cat", tape.to_str().unwrap(), "--events", "--format", "jsonl"];
    let Some(of_cli) = gametape(test, &words(&cat)) else { return };
    let of_cli: Vec<Value> =
        std::str::from_utf8(&of_cli).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_c = of_c["events"].as_array().unwrap();
    assert!(!of_c.is_empty() && of_c.len() == of_cli.len());
    for (ours, theirs) in of_c.iter().zip(&of_cli) {
        assert_eq!((&ours["kind"], &ours["text"]), (&theirs["kind"], &theirs["text"]));
    }
}

#[test]
fn a_part_of_the_time_is_as_in_the_report_and_finer() {
    let test = "c_a_part_of_the_time_is_as_in_the_report_and_finer";
    let tape = acc_tape();
    let (Some(report), Some(lines)) = (document(test, "report", &tape), document(test, "lines", &tape)) else { return };
    assert_eq!((&report["file"], &report["version"]), (&"a.gtape".into(), &1.into()));
    assert!(report["sessions"].as_array().is_some_and(|sessions| !sessions.is_empty()));
    // 20 frames a second, from 1 to 2 seconds.
    assert_eq!((lines["from_ns"].as_u64(), lines["laps"].as_array().unwrap().len()), (Some(1_000_000_000), 0));
    assert!((9..=11).contains(&lines["stretches"].as_u64().unwrap()), "{}", lines["stretches"]);
    let named = |of: &Value, name: &str| {
        of.as_array().unwrap().iter().find(|channel| channel["name"] == name).unwrap()["count"].as_u64().unwrap()
    };
    assert_eq!(named(&lines["channels"], "speed_kmh"), 2 * lines["stretches"].as_u64().unwrap());
    assert!(named(&report["lines"]["channels"], "speed_kmh") > named(&lines["channels"], "speed_kmh"));
}
