//! The document that `gametape info --json` prints. Field names are stable: other programs rely on them.

use std::collections::BTreeMap;
use std::path::Path;

use gametape::echo::MatchSummary;
use gametape::format::read::{Tape, TapeStream};
use gametape::format::write::RECOVERED;
use gametape::format::{Counters, Role};
use gametape::games::echo_vr::Counter;
use gametape::matches::MatchFacts;
use gametape::names::utc_text;
use serde::Serialize;

/// A tape.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) path: String,
    pub(super) format_version: u16,
    pub(super) tape_id: Option<String>,
    pub(super) created_utc: Option<String>,
    pub(super) duration_ns: Option<u64>,
    pub(super) complete: bool,
    pub(super) recovered_from_journal: bool,
    pub(super) game: Option<String>,
    pub(super) game_version: Option<String>,
    pub(super) bytes: u64,
    pub(super) streams: Vec<ReportStream>,
    pub(super) loss: Counts,
    pub(super) stats: Stats,
    pub(super) events: Vec<ReportEvent>,
    pub(super) metadata: BTreeMap<String, String>,
    /// Facts of the match, if the tape is one.
    #[serde(rename = "match")]
    pub(super) facts: Option<MatchFacts>,
    /// Echo VR: matches, goals and players.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) echo_vr: Option<EchoReport>,
}

/// Data that only Echo VR tapes have.
#[derive(Debug, Serialize)]
pub(super) struct EchoReport {
    pub(super) sessions: Vec<EchoMoment>,
    pub(super) goals: Vec<EchoMoment>,
    pub(super) players: Vec<EchoPlayer>,
}

/// A match or a goal.
#[derive(Debug, Serialize)]
pub(super) struct EchoMoment {
    pub(super) at_ns: u64,
    pub(super) text: String,
}

/// A player: the engine's counters, and the sums of events. Both are given if they disagree.
#[derive(Debug, Serialize)]
pub(super) struct EchoPlayer {
    pub(super) slot: i64,
    pub(super) name: String,
    pub(super) team: Option<&'static str>,
    pub(super) engine: BTreeMap<&'static str, Option<i64>>,
    pub(super) events: BTreeMap<&'static str, Option<u64>>,
}

impl EchoReport {
    fn of(tape: &Tape) -> Option<Self> {
        let summary = MatchSummary::of(tape).ok().flatten()?;
        let moments = |list: Vec<(u64, String)>| {
            list.into_iter().map(|(at_ns, text)| EchoMoment { at_ns, text }).collect::<Vec<_>>()
        };
        let keys = || Counter::ALL.iter().map(|counter| counter.key());
        let players = summary.players.into_iter().map(|player| EchoPlayer {
            slot: player.who.slot,
            name: player.who.name,
            team: player.team.and_then(|team| ["blue", "orange", "spectators"].get(team).copied()),
            engine: keys().enumerate().map(|(place, key)| (key, player.engine.map(|all| all[place]))).collect(),
            events: keys().zip(player.events).collect(),
        });
        Some(Self { sessions: moments(summary.sessions), goals: moments(summary.goals), players: players.collect() })
    }
}

/// A data stream or a system stream.
#[derive(Debug, Serialize)]
pub(super) struct ReportStream {
    pub(super) name: String,
    pub(super) layout: Option<String>,
    pub(super) frames: u64,
    pub(super) frame_bytes: Option<u32>,
    pub(super) bytes_raw: u64,
    pub(super) bytes_stored: u64,
    pub(super) first_ns: Option<u64>,
    pub(super) last_ns: Option<u64>,
    pub(super) seen_until_ns: Option<u64>,
    /// Loss counters of this stream.
    pub(super) loss: Counts,
    pub(super) channels: Vec<ReportChannel>,
}

/// A channel of a stream.
#[derive(Debug, Serialize)]
pub(super) struct ReportChannel {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) count: u32,
    pub(super) unit: Option<String>,
}

/// Loss counters; `null` if the recorder of the tape did not count.
#[derive(Debug, Serialize)]
pub(super) struct Counts {
    pub(super) dropped: Option<u64>,
    pub(super) torn: Option<u64>,
    pub(super) missed: Option<u64>,
    pub(super) gaps: Option<u64>,
}

/// Counters that are not losses.
#[derive(Debug, Serialize)]
pub(super) struct Stats {
    pub(super) late: Option<u64>,
    pub(super) unchanged: Option<u64>,
}

/// An event.
#[derive(Debug, Serialize)]
pub(super) struct ReportEvent {
    pub(super) kind: String,
    pub(super) at_ns: u64,
    pub(super) text: String,
}

impl Report {
    /// Reads everything but the frames.
    pub(super) fn of(tape: &Tape, path: &Path) -> Self {
        let metadata = tape.metadata();
        let streams: Vec<_> = tape.streams().filter(|stream| !stream.spec().role.is_system()).collect();
        let end_ns = |stream: &&TapeStream| stream.totals().last_ns.max(stream.status().seen_until_ns);
        let game = streams.iter().map(|stream| &stream.spec().game).find(|game| !game.is_empty());
        let of_each: Vec<Counters> = tape.streams().map(|stream| stream.status().counters).collect();
        let counters = Counters::of_streams(&of_each);
        // An imported tape has counters only if its source had them: zeros would claim that losses were counted.
        let has_counters = !metadata.contains_key("source_kind") || tape.stream_of_role(Role::Status).is_some();
        // Without its end and its journal, the number of missing frames is unknown.
        let counted = has_counters && (tape.is_complete() || tape.uses_journal());
        let known = |count: u64| counted.then_some(count);
        let loss = |counters: &Counters| Counts {
            dropped: known(counters.dropped),
            torn: known(counters.torn),
            missed: known(counters.missed),
            gaps: known(counters.gaps),
        };
        Self {
            path: path.display().to_string(),
            format_version: tape.version(),
            tape_id: tape.id().map(|id| id.to_string()),
            created_utc: tape.start_utc_ns().and_then(utc_text),
            duration_ns: streams.iter().filter_map(end_ns).max(),
            complete: tape.is_complete(),
            recovered_from_journal: tape.uses_journal() || metadata.contains_key(RECOVERED),
            game: game.cloned(),
            game_version: metadata.get("game_version").cloned(),
            bytes: tape.bytes(),
            streams: streams
                .into_iter()
                .map(|stream| ReportStream::of(stream, loss(&stream.status().counters)))
                .collect(),
            loss: loss(&counters),
            stats: Stats { late: known(counters.late), unchanged: known(counters.unchanged) },
            events: tape
                .events()
                .into_iter()
                .map(|event| ReportEvent { kind: event.kind, at_ns: event.at_ns, text: event.text })
                .collect(),
            metadata,
            facts: MatchFacts::of_tape(tape),
            echo_vr: EchoReport::of(tape),
        }
    }
}

impl ReportStream {
    fn of(stream: &TapeStream, loss: Counts) -> Self {
        let (spec, totals) = (stream.spec(), stream.totals());
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let channels = spec.channels.iter().map(|channel| ReportChannel {
            name: channel.name.clone(),
            kind: channel.kind.name(),
            count: channel.count,
            unit: some(&channel.unit),
        });
        Self {
            name: spec.name.clone(),
            layout: some(&spec.layout),
            frames: totals.frames,
            frame_bytes: (spec.frame_bytes > 0).then_some(spec.frame_bytes),
            bytes_raw: totals.raw_bytes,
            bytes_stored: totals.stored_bytes,
            first_ns: totals.first_ns,
            last_ns: totals.last_ns,
            seen_until_ns: stream.status().seen_until_ns,
            loss,
            channels: channels.collect(),
        }
    }
}
