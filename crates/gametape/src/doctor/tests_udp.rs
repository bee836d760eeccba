//! Diagnoses of constructed facts about UDP ports.
use gametape_games::{Game, UserPacket, UserSettings, find_game};

use super::tests::{expect, expect_ready, no_game};
use super::*;

fn port(number: u16, games: &[&str], state: PortState) -> PortFacts {
    let games = games.iter().map(|id| find_game(id).unwrap()).collect();
    PortFacts { address: ([127, 0, 0, 1], number).into(), games, state }
}

fn udp(ports: Vec<PortFacts>) -> UdpFacts {
    UdpFacts {
        ports,
        without_port: Vec::new(),
        admits_others: false,
        buffer_bytes: Some(32 << 20),
        wanted_buffer_bytes: 32 << 20,
        settings: Vec::new(),
        request_files: Vec::new(),
    }
}

fn facts(udp: UdpFacts, game: Option<&str>) -> Facts {
    Facts { udp: Some(udp), game: game.map(|id| -> &'static Game { find_game(id).unwrap() }), ..no_game() }
}

fn silent() -> PortState {
    PortState::Free(Arrivals::default())
}

fn taken(owner: &str) -> PortState {
    PortState::Taken { owner: Some(owner.into()) }
}

#[track_caller]
fn said(facts: &Facts, subject: Subject) -> (Level, String) {
    let diagnosis = diagnose(facts);
    let finding = diagnosis.findings.iter().find(|finding| finding.subject == subject);
    let finding = finding.unwrap_or_else(|| panic!("no {subject:?} in {diagnosis:#?}"));
    (finding.level, format!("{}; {}", finding.text, finding.what_to_do.as_deref().unwrap_or_default()))
}

#[test]
fn a_silent_port_says_what_to_switch_on_in_the_game_that_was_asked_for() {
    let f1 = || udp(vec![port(20777, &["f1-25"], silent())]);
    expect(&facts(f1(), Some("f1-25")), Level::Note, Some("f1-25"), &["nothing arrives", "20777", "UDP Telemetry on"]);
    // Without that, a silent port is no reason.
    let all = facts(f1(), None);
    expect(&all, Level::Note, None, &["no known game is running"]);
    let (level, text) = said(&all, Subject::Port);
    assert!(level == Level::Ok && text.contains("UDP port 20777 (F1 25) is free"), "{text}");
    let ams2 = udp(vec![port(5606, &["automobilista-2", "project-cars"], silent())]);
    expect(&facts(ams2, Some("ams2")), Level::Note, Some("automobilista-2"), &["UDP Frequency", "Protocol Version"]);
    let gt7 = udp(vec![port(33740, &["gran-turismo-7"], silent())]);
    let on_request = ["sends datagrams on request only", "--lan CONSOLE", "gametape record --game gran-turismo-7"];
    expect(&facts(gt7, Some("gt7")), Level::Note, Some("gran-turismo-7"), &on_request);
    let dirt = udp(vec![port(20777, &["dirt-rally"], silent())]);
    expect(&facts(dirt, Some("dirt")), Level::Note, Some("dirt-rally"), &["hardware_settings_config.xml"]);
}

#[test]
fn a_game_that_sends_can_be_recorded() {
    let from = "127.0.0.1:50000".parse().unwrap();
    let state = PortState::Free(Arrivals { game: Some(("f1-25", from)), ..Arrivals::default() });
    for game in [None, Some("f1-25")] {
        let diagnosis = expect_ready(&facts(udp(vec![port(20777, &["f1-25"], state.clone())]), game), "f1-25");
        assert!(diagnosis.findings.iter().any(|finding| finding.text.contains("F1 25 sends to UDP port 20777")));
    }
}

#[test]
fn a_taken_port_is_a_problem_only_for_the_game_that_was_asked_for() {
    let f1 = |owner: &str| udp(vec![port(20777, &["f1-24", "f1-25", "dirt-rally", "ea-wrc"], taken(owner))]);
    expect(
        &facts(f1("simhub, process 7"), Some("f1-25")),
        Level::Problem,
        Some("f1-25"),
        &["taken by simhub, process 7", "--listen", "--forward"],
    );
    let all = facts(f1("simhub, process 7"), None);
    expect(&all, Level::Note, None, &["no known game is running"]);
    let (level, text) = said(&all, Subject::Port);
    assert!(level == Level::Note && text.contains("(F1 24, F1 25, DiRT / GRID and 1 more)"), "{text}");
    let mut recorded = facts(f1("gametape, process 12"), None);
    recorded.recorders = vec![RecorderFacts { process: 12, tape: None, status: "waiting".into() }];
    let (level, text) = said(&recorded, Subject::Port);
    assert!(level == Level::Ok && text.contains("a recorder listens there"), "{text}");
    recorded.recorders[0].process = 2;
    assert_eq!(said(&recorded, Subject::Port).0, Level::Note);
}

#[test]
fn games_without_a_usual_port_are_told_how_to_get_one() {
    let horizon = find_game("fh").unwrap();
    let none = || UdpFacts { without_port: vec![horizon], ..udp(Vec::new()) };
    expect(
        &facts(none(), Some("fh")),
        Level::Note,
        Some("forza-horizon"),
        &["no usual UDP port", "Data Out on", "--listen"],
    );
    let (level, text) = said(&facts(none(), None), Subject::Port);
    assert!(level == Level::Note && text.contains("Forza Horizon") && text.contains("--listen"), "{text}");
}

#[test]
fn unknown_datagrams_and_strangers_are_told() {
    let from = "127.0.0.1:50000".parse().unwrap();
    let with = |arrivals| facts(udp(vec![port(20777, &["f1-25"], PortState::Free(arrivals))]), None);
    let unknown = Arrivals { unknown: Some((from, 99)), ..Arrivals::default() };
    expect(&with(unknown), Level::Note, None, &["99 bytes", "no supported game", "doctor --game"]);
    let stranger = Arrivals { not_admitted: Some("192.0.2.7".parse().unwrap()), ..Arrivals::default() };
    expect(&with(stranger), Level::Note, None, &["192.0.2.7", "not admitted", "--lan 192.0.2.7"]);
}

#[test]
fn a_small_buffer_says_how_to_raise_it_where_that_is_possible() {
    let mut small = facts(UdpFacts { buffer_bytes: Some(425_984), ..udp(Vec::new()) }, None);
    let (level, text) = said(&small, Subject::Buffer);
    assert!(level == Level::Note && text.contains("0.4 MB") && text.contains("net.core.rmem_max=33554432"), "{text}");
    small.system = System::Windows;
    assert!(!said(&small, Subject::Buffer).1.contains("sysctl"));
    assert_eq!(said(&facts(udp(Vec::new()), None), Subject::Buffer).0, Level::Ok);
}

#[test]
fn on_windows_the_firewall_is_mentioned_if_others_are_admitted() {
    let mut admitted = facts(UdpFacts { admits_others: true, ..udp(Vec::new()) }, None);
    let mentions = |facts: &Facts| diagnose(facts).findings.iter().any(|finding| finding.text.contains("firewall"));
    assert!(!mentions(&admitted));
    admitted.system = System::Windows;
    assert!(mentions(&admitted));
    assert!(!mentions(&Facts { system: System::Windows, ..facts(udp(Vec::new()), None) }));
}

#[test]
fn the_settings_of_wrc_say_whether_it_sends() {
    let packet = |enabled| UserPacket {
        name: "session_update of wrc".into(),
        stream: "session-update",
        to: "127.0.0.1".into(),
        port: Some(20777),
        enabled,
        layout: find_game("wrc").unwrap().stream("session-update").unwrap().layout_of(237).filter(|_| enabled),
        is_it: |_, _, _| false,
    };
    let with = |enabled, game| {
        let settings = UserSettings { found: true, packets: vec![packet(enabled)], ..UserSettings::default() };
        let of =
            GameSettings { game: find_game("wrc").unwrap(), folder: Some("/t".into()), searched: Vec::new(), settings };
        facts(UdpFacts { settings: vec![of], ..udp(vec![port(20777, &["ea-wrc"], silent())]) }, game)
    };
    expect(&with(false, Some("wrc")), Level::Problem, Some("ea-wrc"), &["/t: no packet is enabled", "bEnabled"]);
    expect(&with(false, None), Level::Note, None, &["no known game is running"]);
    let (level, text) = said(&with(true, Some("wrc")), Subject::Settings);
    assert!(level == Level::Ok && text.contains("session_update of wrc to 127.0.0.1, port 20777"), "{text}");
    // Not installed.
    let none = GameSettings {
        game: find_game("wrc").unwrap(),
        folder: None,
        searched: vec!["/d/WRC".into()],
        settings: UserSettings::default(),
    };
    let none = |game| facts(UdpFacts { settings: vec![none.clone()], ..udp(Vec::new()) }, game);
    assert!(said(&none(Some("wrc")), Subject::Settings).1.contains("/d/WRC"));
    assert!(diagnose(&none(None)).findings.iter().all(|finding| finding.subject != Subject::Settings));
}

#[test]
fn a_game_that_does_not_reply_to_requests_says_which_line_of_its_file_to_change() {
    let game = find_game("acc").unwrap();
    let of = |port, asked| {
        let searched = vec!["Documents/broadcasting.json".into()];
        let file = RequestFileFacts { game, port_key: "updListenerPort", searched, port };
        facts(UdpFacts { request_files: vec![file], ..udp(Vec::new()) }, asked)
    };
    let off = ["does not reply to requests", "updListenerPort is 0", "Documents/broadcasting.json", "such as 9000"];
    for asked in [None, Some("acc")] {
        let (level, text) = said(&of(Some(0), asked), Subject::Settings);
        assert!(level == Level::Note && off.iter().all(|part| text.contains(part)), "{text}");
        let (level, text) = said(&of(Some(9000), asked), Subject::Settings);
        assert!(level == Level::Ok && text.contains("replies to requests on port 9000"), "{text}");
    }
    let missing = [
        "no readable configuration of requests in Documents/broadcasting.json",
        "start the game once",
        "--ask assetto-corsa-competizione=HOST:PORT",
    ];
    let (level, text) = said(&of(None, Some("acc")), Subject::Settings);
    assert!(level == Level::Note && missing.iter().all(|part| text.contains(part)), "{text}");
    let settings = diagnose(&of(None, None)).findings.iter().filter(|one| one.subject == Subject::Settings).count();
    assert_eq!(settings, 0, "a game that is not installed is reported");
}
