//! Diagnoses games that send datagrams: their ports, what arrives there, the receive buffer, the settings of the game.

use gametape_games::{Game, find_game};

use super::facts::{Facts, System};
use super::finding::{Finding, Level, Subject};
use super::{Arrivals, GameSettings, PortFacts, PortState, RequestFileFacts, UdpFacts};

/// With less, a recorder that is not scheduled for half a second loses datagrams of the games that send the most.
const LITTLE_BUFFER_BYTES: usize = 1 << 20;
/// How many games are named for a port.
const MOST_NAMES: usize = 3;

/// Returns the findings, and the ids of the games that can be recorded.
pub(super) fn judge(facts: &Facts, udp: &UdpFacts) -> (Vec<Finding>, Vec<&'static str>) {
    let (mut findings, mut ready) = (Vec::new(), Vec::new());
    for port in &udp.ports {
        findings.push(state(facts, port));
        if let PortState::Free(arrivals) = &port.state {
            findings.extend(arrived(facts, port, arrivals));
            ready.extend(arrivals.game.map(|(id, _)| id));
        }
    }
    findings.extend(without_port(facts, &udp.without_port));
    findings.extend(facts.game.filter(|_| ready.is_empty()).and_then(on_request));
    findings.extend(udp.settings.iter().flat_map(|settings| user_settings(facts, settings)));
    findings.extend(udp.request_files.iter().filter_map(|file| request_file(facts, file)));
    findings.extend(udp.buffer_bytes.map(|bytes| buffer(facts.system, bytes, udp.wanted_buffer_bytes)));
    if facts.system == System::Windows && udp.admits_others {
        let text = "datagrams of other machines arrive only if the Windows firewall lets them through";
        let to_do = "allow gametape on private networks when Windows asks, or add a rule for incoming UDP in \"Windows Defender Firewall\"";
        findings.push(Finding::new(Subject::Port, Level::Note, text).next(to_do));
    }
    ready.sort_unstable();
    ready.dedup();
    (findings, ready)
}

/// Returns whether a port can be opened.
fn state(facts: &Facts, port: &PortFacts) -> Finding {
    let (number, id) = (port.address.port(), facts.game.map(|game| game.id));
    let of = names(&port.games);
    let level = asked(facts);
    let finding = |level, text: String| Finding::new(Subject::Port, level, text).of(id);
    match &port.state {
        PortState::Free(_) => finding(Level::Ok, format!("UDP port {number}{of} is free")),
        PortState::Taken { owner } => {
            let is_recorder = |owner: &String| {
                let mut processes = facts.recorders.iter().map(|recorder| format!("process {}", recorder.process));
                processes.any(|process| owner.ends_with(&process))
            };
            if let Some(owner) = owner.as_ref().filter(|owner| is_recorder(owner)) {
                return finding(Level::Ok, format!("UDP port {number}{of}: a recorder listens there, {owner}"));
            }
            let by = owner.as_ref().map_or_else(|| "another program".into(), Clone::clone);
            finding(level, format!("UDP port {number}{of} is taken by {by}")).next(
                "exit that program, or let it forward the datagrams to another port and use --listen 127.0.0.1:PORT; \
                 gametape can relay to it instead: --forward HOST:PORT",
            )
        }
        PortState::Unusable(why) => finding(level, format!("UDP port {number}{of} cannot be opened: {why}")),
    }
}

/// Returns the level of a finding that prevents recording of some games only: a problem if the user asked for one of them.
fn asked(facts: &Facts) -> Level {
    if facts.game.is_some() { Level::Problem } else { Level::Note }
}

/// Returns what arrived on a port.
fn arrived(facts: &Facts, port: &PortFacts, arrivals: &Arrivals) -> Vec<Finding> {
    let number = port.address.port();
    let finding =
        |level, text: String| Finding::new(Subject::Telemetry, level, text).of(facts.game.map(|game| game.id));
    let mut findings = Vec::new();
    if let Some((id, from)) = arrivals.game {
        let name = find_game(id).map_or(id, |game| game.name);
        findings.push(finding(Level::Ok, format!("{name} sends to UDP port {number}, from {from}")).of(Some(id)));
    }
    if let Some((from, bytes)) = arrivals.unknown.filter(|_| arrivals.game.is_none()) {
        let text = format!(
            "datagrams of {bytes} bytes arrive on UDP port {number} from {from}, but no supported game sends them"
        );
        let to_do = match facts.game {
            Some(game) => game.setup.to_owned(),
            None => {
                "check the telemetry settings of the game: `gametape doctor --game ID` says which ones it needs".into()
            }
        };
        findings.push(finding(Level::Note, text).next(to_do));
    }
    if let Some(from) = arrivals.not_admitted {
        let text = format!("datagrams arrive on UDP port {number} from {from}, which is not admitted");
        findings.push(finding(Level::Note, text).next(format!("use --lan {from} if that is your console or computer")));
    }
    let expected = facts.game.filter(|game| findings.is_empty() && game.rules.requests().is_none());
    if let Some(game) = expected {
        let text = format!("nothing arrives on UDP port {number}: {} does not send, or sends elsewhere", game.name);
        findings.push(finding(Level::Note, text).next(format!("{}, and drive", game.setup)));
    }
    findings
}

/// Returns what to do about games that have no usual port.
fn without_port(facts: &Facts, games: &[&'static Game]) -> Option<Finding> {
    let all: Vec<&str> = games.iter().map(|game| game.name).collect();
    let text = |verb| format!("{} {verb} no usual UDP port, so nothing is received", all.join(", "));
    match (facts.game, games) {
        (_, []) => None,
        (Some(game), _) => {
            Some(Finding::new(Subject::Telemetry, Level::Note, text("has")).of(Some(game.id)).next(game.setup))
        }
        (None, _) => Some(Finding::new(Subject::Port, Level::Note, text("have")).next(
            "enter a free port in the game and use --listen 127.0.0.1:PORT; `gametape doctor --game ID` says where",
        )),
    }
}

/// Returns why nothing can arrive from a game that sends on request only: the doctor sends nothing.
fn on_request(game: &'static Game) -> Option<Finding> {
    game.rules.requests()?;
    let text = format!("{} sends datagrams on request only, and the doctor sends no requests", game.name);
    let to_do = format!("{}; `gametape record --game {}` requests its datagrams", game.setup, game.id);
    Some(Finding::new(Subject::Telemetry, Level::Note, text).of(Some(game.id)).next(to_do))
}

/// Returns whether a game replies to requests, by the user's configuration.
fn request_file(facts: &Facts, file: &RequestFileFacts) -> Option<Finding> {
    let finding = |level, text: String| Finding::new(Subject::Settings, level, text).of(Some(file.game.id));
    let (name, key) = (file.game.name, file.port_key);
    match file.port {
        Some(0) => {
            let text = format!("{name} does not reply to requests: {key} is 0 in {}", paths(&file.searched));
            let to_do = format!("exit the game, set {key} to a free port such as 9000, and start the game again");
            Some(finding(Level::Note, text).next(to_do))
        }
        Some(port) => Some(finding(Level::Ok, format!("{name} replies to requests on port {port}"))),
        // The game is not installed, which matters only to users who asked for it.
        None => facts.game.map(|_| {
            let text = format!("{name} has no readable configuration of requests in {}", paths(&file.searched));
            let id = file.game.id;
            let to_do = format!(
                "start the game once, it creates the file; use --ask {id}=HOST:PORT if it runs on another machine"
            );
            finding(Level::Note, text).next(to_do)
        }),
    }
}

/// Returns what the files say in which the user describes the datagrams of a game.
fn user_settings(facts: &Facts, of: &GameSettings) -> Vec<Finding> {
    let finding = |level, text: String| Finding::new(Subject::Settings, level, text).of(Some(of.game.id));
    let Some(folder) = &of.folder else {
        // The game is not installed, which matters only to users who asked for it.
        let text = || format!("{} has no settings in {}", of.game.name, paths(&of.searched));
        let to_do = "start the game once, it creates them; set --lan ADDR if it runs on another machine";
        return facts.game.map(|_| finding(Level::Note, text()).next(to_do)).into_iter().collect();
    };
    let mut findings: Vec<Finding> = of.problems().map(|problem| finding(Level::Note, problem)).collect();
    let enabled: Vec<String> = of.settings.packets.iter().filter(|packet| packet.enabled).map(sent_to).collect();
    let text = format!("{}: ", folder.display());
    findings.push(match enabled.is_empty() {
        true => finding(asked(facts), format!("{text}no packet is enabled")).next(of.game.setup),
        false => finding(Level::Ok, format!("{text}enabled are {}", enabled.join("; "))),
    });
    findings
}

fn sent_to(packet: &gametape_games::UserPacket) -> String {
    let port = packet.port.map_or_else(|| "no port".into(), |port| format!("port {port}"));
    let columns = if packet.layout.is_some() { "" } else { ", without columns" };
    format!("{} to {}, {port}{columns}", packet.name, packet.to)
}

fn paths(paths: &[std::path::PathBuf]) -> String {
    let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    if shown.is_empty() { "the documents of this user".into() } else { shown.join(", ") }
}

fn buffer(system: System, bytes: usize, wanted: usize) -> Finding {
    let mb = |bytes: usize| bytes as f64 / 1e6;
    let text = format!("the system grants a receive buffer of {:.1} MB", mb(bytes));
    if bytes >= LITTLE_BUFFER_BYTES {
        return Finding::new(Subject::Buffer, Level::Ok, text);
    }
    let finding =
        Finding::new(Subject::Buffer, Level::Note, format!("{text}: datagrams may be lost while the machine is busy"));
    match system {
        System::Linux => finding.next(format!("sudo sysctl -w net.core.rmem_max={wanted}")),
        _ => finding,
    }
}

/// Returns the names of some games in parentheses.
fn names(games: &[&'static Game]) -> String {
    let named: Vec<&str> = games.iter().take(MOST_NAMES).map(|game| game.name).collect();
    match games.len().saturating_sub(MOST_NAMES) {
        _ if games.is_empty() => String::new(),
        0 => format!(" ({})", named.join(", ")),
        more => format!(" ({} and {more} more)", named.join(", ")),
    }
}
