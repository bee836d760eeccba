//! Diagnoses of constructed facts.
use gametape_games::{ASSETTO_CORSA_FAMILY, About, GAMES, Game, Presence, ac, acc, ace, acr, iracing};

use super::*;
use crate::capture::{Away, State};
use crate::sys::Prefix;
use crate::transport::shared_memory::groups;

fn there(bytes: u64, zero: bool) -> SectionFound {
    SectionFound::There { bytes, zero }
}

fn section(name: &str, least_bytes: u64, found: SectionFound) -> Section {
    let place = format!("/dev/shm/{name}");
    let known_bytes = if least_bytes > 1 { vec![least_bytes] } else { Vec::new() };
    Section { name: name.into(), place, least_bytes, known_bytes, found, owner: Some(1000), mode: Some(0o600) }
}

/// Returns the family's memory: physics, graphics and static.
fn family(found: [SectionFound; 3], look: Look) -> Memory {
    let [physics, graphics, statics] = found;
    let sections = vec![
        section("acpmf_physics", 568, physics),
        section("acpmf_graphics", 284, graphics),
        section("acpmf_static", 592, statics),
    ];
    Memory { games: ASSETTO_CORSA_FAMILY, sections, look }
}

fn iracing(found: SectionFound, look: Look) -> Memory {
    Memory { games: group_of("iracing"), sections: vec![section(iracing::SECTION, 1, found)], look }
}

fn group_of(id: &str) -> &'static [Game] {
    groups().into_iter().find(|group| group.iter().any(|game| game.id == id)).unwrap()
}

fn away(away: Away) -> Look {
    Look { state: State::Away(away), game: None, about: About::default(), moved: None }
}

fn here(game: &'static Game, presence: Presence, moved: bool) -> Look {
    Look { state: State::Here(presence), game: Some(game), about: About::default(), moved: Some(moved) }
}

fn competizione() -> &'static Game {
    &ASSETTO_CORSA_FAMILY[0]
}

fn program(name: &str) -> Process {
    Process { id: 4711, user: Some(1000), name: name.chars().take(15).collect(), program: None }
}

/// Returns the facts of a machine of user 1000 without any game.
pub(super) fn no_game() -> Facts {
    facts(family(MISSING, away(Away::NotThere)), &[])
}

/// Returns the facts of a machine of user 1000 with this memory and these programs.
fn facts(memory: Memory, programs: &[&str]) -> Facts {
    Facts {
        game: None,
        prefix: Prefix::default(),
        system: System::Linux,
        users: Users { own: Some(1000), names: vec![(1000, "driver".into()), (1001, "other".into())] },
        processes: Some(programs.iter().map(|name| program(name)).collect()),
        wine: Vec::new(),
        memories: vec![memory],
        echo_vr: None,
        udp: None,
        player: None,
        recorders: Vec::new(),
        tapes: TapesFolder {
            path: "/tapes".into(),
            exists: true,
            not_writable: None,
            free_bytes: Some(5_000_000_000),
            unfinished: Vec::new(),
        },
        wakes_late_ns: Some(10_000),
    }
}

const ACC: &str = "AC2-Win64-Shipping.exe";
const MISSING: [SectionFound; 3] = [SectionFound::Missing, SectionFound::Missing, SectionFound::Missing];

fn all(found: &SectionFound) -> [SectionFound; 3] {
    std::array::from_fn(|_| found.clone())
}

/// Asserts that nothing can be recorded, for a reason of this level with these words in its text and next step.
#[track_caller]
pub(super) fn expect(facts: &Facts, level: Level, game: Option<&str>, words: &[&str]) {
    let diagnosis = diagnose(facts);
    assert!(!diagnosis.can_record(), "{diagnosis:#?}");
    let reason = diagnosis.reason().unwrap_or_else(|| panic!("no reason in {diagnosis:#?}"));
    assert_eq!((reason.level, reason.game), (level, game), "{diagnosis:#?}");
    let said = format!("{}; {}", reason.text, reason.what_to_do.as_deref().unwrap_or_default());
    for word in words {
        assert!(said.contains(word), "{word:?} is not in {said:?}");
    }
}

#[track_caller]
pub(super) fn expect_ready(facts: &Facts, game: &str) -> Diagnosis {
    let diagnosis = diagnose(facts);
    assert!(diagnosis.can_record() && diagnosis.ready == [game] && diagnosis.reason().is_none(), "{diagnosis:#?}");
    diagnosis
}

#[test]
fn every_game_with_shared_memory_is_looked_at() {
    for game in GAMES {
        let live = game.streams.iter().any(|stream| stream.section().is_some());
        let groups = groups().into_iter().filter(|group| group.iter().any(|member| member.id == game.id));
        let mut sections: Vec<Option<&str>> = groups.map(|group| group[0].sections().next()).collect();
        assert_eq!(!sections.is_empty(), live, "{}", game.id);
        // A game whose section has two names is in two groups.
        let count = sections.len();
        sections.dedup();
        assert_eq!(sections.len(), count, "{}", game.id);
    }
}

#[test]
fn echo_vr_is_told_by_what_it_answers() {
    let nothing = || facts(family(MISSING, away(Away::NotThere)), &["bash", "echovr.exe"]);
    let with = |state: State, played: Option<&str>| {
        let played = played.map(str::to_owned);
        Facts { echo_vr: Some(EchoVrFacts { address: "127.0.0.1:6721".into(), state, played }), ..nothing() }
    };
    let id = Some("echo-vr");
    expect(&with(State::Away(Away::NotThere), None), Level::Problem, id, &["6721", "API Access"]);
    expect(&with(State::Away(Away::Off), None), Level::Note, id, &["no match", "join"]);
    expect(
        &with(State::Away(Away::Unreadable("its API is off".into())), None),
        Level::Problem,
        id,
        &["its API is off"],
    );
    expect_ready(&with(State::Here(Presence::Live), None), "echo-vr");
    let played = expect_ready(&with(State::Here(Presence::Live), Some("ab-cd")), "echo-vr");
    assert!(played.findings.iter().any(|finding| finding.text.contains("ab-cd")), "{played:#?}");
    // A game that is not running is not reported as missing.
    let mut absent = with(State::Away(Away::NotThere), None);
    absent.processes = Some(Vec::new());
    expect(&absent, Level::Note, None, &["no known game is running"]);
}

#[test]
fn nothing_at_all_says_start_a_game_and_mentions_the_bridge_on_linux_only() {
    let mut facts = facts(family(MISSING, away(Away::NotThere)), &["simd", "bash"]);
    expect(&facts, Level::Note, None, &["no known game is running", "bridge", "gametape demo"]);
    facts.system = System::Windows;
    let said = diagnose(&facts).reason().unwrap().what_to_do.clone().unwrap();
    assert!(!said.contains("bridge"), "{said}");
    facts.prefix = Prefix::new("demo-7-").unwrap();
    expect(&facts, Level::Note, None, &["demo-7-", "leave out --names"]);
}

#[test]
fn a_game_in_wine_without_a_bridge_is_told_so() {
    let no_bridge = facts(family(MISSING, away(Away::NotThere)), &["bash", ACC]);
    expect(
        &no_bridge,
        Level::Problem,
        Some(acc::GAME.id),
        &["Competizione is running", "bridge", "acbridge.exe", "start"],
    );
    // A playback under a prefix is unrelated to a game that is running.
    let prefixed = Facts { prefix: Prefix::new("demo-").unwrap(), ..no_bridge };
    expect(&prefixed, Level::Note, None, &["demo-"]);
    let mut iracing = facts(iracing(SectionFound::Missing, away(Away::NotThere)), &["iRacingSim64DX11.exe"]);
    expect(&iracing, Level::Problem, Some("iracing"), &["irsdkEnableMem=1", "app.ini", "bridge"]);
    iracing.system = System::Windows;
    expect(&iracing, Level::Problem, Some("iracing"), &["switched off", "irsdkEnableMem=1"]);
}

#[test]
fn memory_of_another_user_names_him_and_the_way_out() {
    let mut facts = facts(family(all(&SectionFound::Forbidden), away(Away::Unreadable("no".into()))), &[ACC]);
    for section in &mut facts.memories[0].sections {
        section.owner = Some(1001);
    }
    expect(
        &facts,
        Level::Problem,
        Some(acc::GAME.id),
        &[
            "belongs to other with mode 0600",
            "gametape runs as driver",
            "run gametape as other",
            "chmod o+r /dev/shm/acpmf_physics",
        ],
    );
    // A file of the same user is a different case.
    facts.memories[0].sections.iter_mut().for_each(|section| section.owner = Some(1000));
    expect(&facts, Level::Problem, Some(acc::GAME.id), &["chmod u+r"]);
}

#[test]
fn a_game_of_another_user_is_noted_and_only_a_matter_if_it_cannot_be_read() {
    let mut facts = facts(family(all(&there(2048, false)), here(competizione(), Presence::Live, true)), &[ACC]);
    facts.processes.as_mut().unwrap()[0].user = Some(1001);
    let found = expect_ready(&facts, acc::GAME.id);
    assert!(found.findings[0].level == Level::Note && found.findings[0].text.contains("as other"));
    assert_eq!(found.findings[0].what_to_do, None);
    facts.memories[0] = family(MISSING, away(Away::NotThere));
    assert_eq!(diagnose(&facts).findings[0].what_to_do.as_deref(), Some("run gametape as other"));
}

#[test]
fn sections_that_are_empty_short_or_incomplete_are_named() {
    let empty = family([there(2048, true), there(0, true), there(2048, true)], away(Away::Empty));
    expect(&facts(empty.clone(), &[]), Level::Note, None, &["/dev/shm/acpmf_graphics is empty"]);
    expect(&facts(empty, &[ACC]), Level::Problem, Some(acc::GAME.id), &["/dev/shm/acpmf_graphics is empty"]);
    let short = family([there(100, false), there(2048, false), there(2048, false)], away(Away::Unreadable("x".into())));
    expect(&facts(short, &[]), Level::Problem, None, &["100 bytes", "568 at least"]);
    let part = family([there(2048, false), there(2048, false), SectionFound::Missing], away(Away::NotThere));
    expect(&facts(part, &[ACC]), Level::Problem, Some(acc::GAME.id), &["/dev/shm/acpmf_static missing, although"]);
    let odd = family(all(&SectionFound::Unusable("is not a file".into())), away(Away::Unreadable("x".into())));
    expect(&facts(odd, &[]), Level::Problem, None, &["is not a file"]);
}

#[test]
fn zeros_are_a_bridge_that_waits_or_a_game_that_does_not_write() {
    let zeros = family(all(&there(2048, true)), away(Away::Empty));
    expect(&facts(zeros.clone(), &[]), Level::Note, None, &["no game has written", "start the game"]);
    expect(&facts(zeros, &[ACC]), Level::Problem, Some(acc::GAME.id), &["writes nothing", "bridge"]);
}

#[test]
fn menus_live_paused_and_replay_are_told_apart() {
    let with = |look| facts(family(all(&there(2048, false)), look), &[ACC]);
    expect(&with(away(Away::Off)), Level::Note, Some(acc::GAME.id), &["in its menus", "start a session"]);
    expect(&with(away(Away::Undecided)), Level::Note, Some(acc::GAME.id), &["it is not clear yet"]);
    for (presence, moved, word) in
        [(Presence::Live, true, "live"), (Presence::Paused, false, "paused"), (Presence::Replay, true, "replay")]
    {
        let found = expect_ready(&with(here(competizione(), presence, moved)), acc::GAME.id);
        let said = |finding: &Finding| finding.subject == Subject::Telemetry && finding.text.contains(word);
        assert!(found.findings.iter().any(said), "{found:#?}");
    }
    let frozen = with(here(competizione(), Presence::Live, false));
    expect(&frozen, Level::Note, Some(acc::GAME.id), &["nothing moves", "again in a moment"]);
}

#[test]
fn what_a_game_left_behind_is_known_by_standing_still_without_a_process() {
    let with = |look, programs| facts(family(all(&there(2048, false)), look), programs);
    for presence in [Presence::Live, Presence::Paused] {
        let left = with(here(competizione(), presence, false), &[]);
        expect(&left, Level::Note, Some(acc::GAME.id), &["left over from a game that ended", "start the game"]);
        // A player may be paused, and if processes cannot be listed, nothing is assumed.
        let played = Facts { player: Some("id".into()), ..left.clone() };
        let unlisted = Facts { processes: None, ..left };
        for facts in [played, unlisted] {
            assert!(!diagnose(&facts).findings.iter().any(|finding| finding.text.contains("left over")));
        }
    }
    expect(&with(away(Away::Off), &[]), Level::Note, None, &["left over"]);
    // Without a process, but moving: some program writes.
    expect_ready(&with(here(competizione(), Presence::Live, true), &[]), acc::GAME.id);
    // The other game of the family is running, but does not write.
    let other = with(here(competizione(), Presence::Live, false), &["acs.exe"]);
    expect(&other, Level::Problem, Some(ac::GAME.id), &["Assetto Corsa is running, but writes nothing"]);
}

#[test]
fn physics_alone_is_said_to_be_that() {
    let look = Look { moved: Some(true), ..away(Away::Off) };
    let memory = family([there(2048, false), there(2048, true), there(2048, true)], look);
    for (programs, id) in
        [(&["acr.exe"][..], acr::GAME.id), (&[], acr::GAME.id), (&["AssettoCorsaEVO.exe"], ace::GAME.id)]
    {
        expect_ready(&facts(memory.clone(), programs), id);
    }
    // EVO's own names were introduced in later versions, so they may be missing.
    let mut old = facts(memory.clone(), &["AssettoCorsaEVO.exe"]);
    let missing = section("acevo_pmf_physics", 800, SectionFound::Missing);
    old.memories.push(Memory {
        games: group_of("assetto-corsa-evo"),
        sections: vec![missing],
        look: away(Away::NotThere),
    });
    expect_ready(&old, ace::GAME.id);
    old.memories.remove(0);
    expect(&old, Level::Problem, Some(ace::GAME.id), &["acevo_pmf_physics", "older names only"]);
    let loading = facts(memory.clone(), &[ACC]);
    expect(&loading, Level::Note, Some(acc::GAME.id), &["Competizione writes physics", "it is loading"]);
    assert!(diagnose(&loading).ready.is_empty());
    let mut wanted = facts(memory, &["acr.exe"]);
    wanted.game = Some(competizione());
    expect(&wanted, Level::Note, Some(acr::GAME.id), &["--game assetto-corsa-rally"]);
    assert!(diagnose(&wanted).ready.is_empty());
}

#[test]
fn the_memory_of_another_game_than_the_wanted_one_is_said_to_be_that() {
    let mut facts = facts(family(all(&there(2048, false)), here(competizione(), Presence::Live, true)), &[ACC]);
    facts.game = Some(&ASSETTO_CORSA_FAMILY[1]);
    expect(&facts, Level::Note, Some(acc::GAME.id), &["not Assetto Corsa,", "--game assetto-corsa-competizione"]);
    facts.game = Some(competizione());
    expect_ready(&facts, acc::GAME.id);
}

#[test]
fn a_folder_that_takes_nothing_stops_a_game_that_is_there_and_only_then_is_the_reason() {
    let mut facts = facts(family(all(&there(2048, false)), here(competizione(), Presence::Live, true)), &[ACC]);
    facts.tapes.not_writable = Some("/: read-only".into());
    expect(&facts, Level::Problem, None, &["cannot write to /tapes", "GAMETAPE_DATA_DIR"]);
    facts.memories[0] = family(MISSING, away(Away::NotThere));
    facts.processes = Some(Vec::new());
    expect(&facts, Level::Note, None, &["no known game is running"]);
}

#[test]
fn little_room_unfinished_tapes_recorders_players_and_a_late_timer_are_told() {
    let mut facts = facts(family(all(&there(2048, false)), here(competizione(), Presence::Live, true)), &[ACC]);
    let notes = |facts: &Facts| -> Vec<String> {
        let of_machine = |finding: &&Finding| finding.game.is_none() && finding.level != Level::Ok;
        let diagnosis = diagnose(facts);
        diagnosis
            .findings
            .iter()
            .filter(of_machine)
            .map(|finding| format!("{} {:?}", finding.text, finding.what_to_do))
            .collect()
    };
    assert!(notes(&facts).is_empty());
    facts.tapes.free_bytes = Some(900_000_000);
    facts.tapes.unfinished = vec!["/tapes/a.gtape".into()];
    facts.recorders = vec![RecorderFacts { process: 12, tape: Some("/tapes/b.gtape".into()), status: String::new() }];
    facts.player = Some("f00".into());
    facts.wakes_late_ns = Some(3_000_000);
    let said = notes(&facts);
    let expected = [
        "process 12: recording to /tapes/b.gtape",
        "tape f00",
        "0.9 GB free",
        "gametape recover /tapes/a.gtape",
        "3.00 ms",
    ];
    assert_eq!(said.len(), expected.len(), "{said:?}");
    for (said, expected) in said.iter().zip(expected) {
        assert!(said.contains(expected), "{expected:?} is not in {said:?}");
    }
    assert!(diagnose(&facts).can_record(), "notes do not stop a recording");
    facts.tapes.free_bytes = Some(1_000_000);
    assert!(!diagnose(&facts).can_record());
}

#[test]
fn a_game_in_wine_is_told_what_was_seen_of_it_and_what_is_in_the_way() {
    let mut facts = facts(family(MISSING, away(Away::NotThere)), &[ACC]);
    let id = Some(acc::GAME.id);
    let seen = WineFacts { process: 4711, servers: vec![77], ..WineFacts::default() };
    let mut with = |seen: WineFacts| {
        facts.wine = vec![seen];
        facts.clone()
    };
    let denied = WineFacts { denied: Some("/proc/4711/maps: Permission denied".into()), ..seen.clone() };
    expect(&with(denied), Level::Problem, id, &["cannot be inspected: /proc/4711/maps", "same", "ptrace_scope"]);
    let shut = vec![(77, "/proc/77/fd: Permission denied".to_owned())];
    let shut = with(WineFacts { out_of_reach: 9, shut, ..seen.clone() });
    expect(&shut, Level::Problem, id, &["/proc/77/fd", "setcap -r", "bridge"]);
    let said = |facts: &Facts, word: &str| diagnose(facts).findings.iter().any(|finding| finding.text.contains(word));
    assert!(said(&shut, "process 4711 is in Wine (wineserver 77)") && said(&shut, "wineserver 77 cannot be"));
    let loading = with(WineFacts { fitting: 4, zero: 3, ..seen.clone() });
    expect(&loading, Level::Note, id, &["none of its sections is recognized", "start a session"]);
    assert!(said(&loading, "4 sections of a matching size are readable without a bridge, 3 of them all zero"));
    expect(&with(seen.clone()), Level::Problem, id, &["has created no telemetry memory", "wait until"]);
    let mut sim = self::iracing(SectionFound::Missing, away(Away::NotThere));
    sim.sections.clear();
    let mut sim = self::facts(sim, &["iRacingSim64DX11.exe"]);
    sim.wine = vec![seen];
    expect(&sim, Level::Problem, Some("iracing"), &["irsdkEnableMem=1"]);
}

#[test]
fn f9_a_page_of_an_unknown_length_is_told() {
    let pages = |graphics| [there(2048, false), there(graphics, false), there(2048, false)];
    let said = |graphics| {
        let memory = family(pages(graphics), here(competizione(), Presence::Live, true));
        let findings = diagnose(&facts(memory, &["acc.exe"]));
        findings.findings.into_iter().find(|finding| finding.text.contains("acpmf_graphics")).unwrap()
    };
    assert_eq!(said(2048).level, Level::Ok);
    let odd = said(1700);
    assert!(odd.level == Level::Note && odd.text.contains("1700 bytes") && odd.what_to_do.is_some(), "{odd:?}");
}
