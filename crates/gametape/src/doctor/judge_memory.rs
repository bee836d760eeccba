//! Diagnoses one group of games: whether they are running, whether their shared memory exists, and what is in it.
//!
//! ```text
//!                     a process is running                no process
//! missing             no bridge, or telemetry off         (no finding)
//! empty, all zero     the game does not write             a bridge waits for a game
//! off, moving         physics only: ready, or loading     likewise
//! off, undecided      in its menus                        left over
//! live, not moving    loading, or hanging                 left over
//! live, moving        ready                               ready: a player, or an unknown program name
//! ```

use gametape_games::{Game, Presence, ace, acr};

use super::advice;
use super::facts::Facts;
use super::finding::{Finding, Level, Subject};
use super::{Memory, Section, SectionFound};
use super::{WineFacts, judge_sections, judge_wine};
use crate::sys::Process;
use crate::transport::{Away, State};

/// Returns the findings about a group, and the id of the game that is ready to be recorded.
pub(super) fn judge(facts: &Facts, memory: &Memory) -> (Vec<Finding>, Option<&'static str>) {
    let case = Case::new(facts, memory);
    let mut findings = case.processes();
    findings.extend(case.in_wine().filter_map(|(game, seen)| Some(judge_wine::seen(seen)?.of(Some(game.id)))));
    findings.extend(judge_sections::judge(facts, memory, case.id(), case.runs()));
    let (telemetry, ready) = case.telemetry();
    findings.extend(telemetry);
    (findings, ready)
}

struct Case<'a> {
    facts: &'a Facts,
    memory: &'a Memory,
    running: Vec<(&'static Game, &'a Process)>,
    /// The game that the memory belongs to, if it can be determined.
    game: Option<&'static Game>,
}

impl<'a> Case<'a> {
    fn new(facts: &'a Facts, memory: &'a Memory) -> Self {
        // A game's own process does not use names with a prefix.
        let listed = facts.processes.iter().flatten().filter(|_| facts.prefix.as_str().is_empty());
        let games_of = |process: &Process| {
            memory.games.iter().find(|game| game.processes.iter().any(|program| process.runs(program)))
        };
        let running: Vec<_> = listed.filter_map(|process| Some((games_of(process)?, process))).collect();
        let game = memory.look.game.or(match (memory.games, running.as_slice()) {
            ([only], _) => Some(only),
            (_, [(game, _), rest @ ..]) if rest.iter().all(|(other, _)| other.id == game.id) => Some(game),
            _ => None,
        });
        Self { facts, memory, running, game }
    }

    fn id(&self) -> Option<&'static str> {
        self.game.map(|game| game.id)
    }

    fn runs(&self) -> bool {
        !self.running.is_empty()
    }

    /// Returns whether the game that the memory belongs to has a process; `None` if processes cannot be listed.
    fn its_process(&self) -> Option<bool> {
        self.facts.processes.as_ref()?;
        Some(self.running.iter().any(|(game, _)| self.memory.look.game.is_none_or(|of| of.id == game.id)))
    }

    /// Returns the running games with their facts from Wine.
    fn in_wine(&self) -> impl Iterator<Item = (&'static Game, &'a WineFacts)> {
        let seen_of = |process: &Process| self.facts.wine.iter().find(|seen| seen.process == process.id);
        self.running.iter().filter_map(move |(game, process)| Some((*game, seen_of(process)?)))
    }

    fn name(&self) -> String {
        self.game.map_or_else(|| self.names(), |game| game.name.into())
    }

    fn processes(&self) -> Vec<Finding> {
        if self.facts.processes.is_none() || !self.facts.prefix.as_str().is_empty() {
            return Vec::new();
        }
        let wanted = |game: &&Game| self.facts.game.is_none_or(|wanted| wanted.id == game.id);
        let of_game = |game: &'static Game| {
            let process = self.running.iter().find(|(running, _)| running.id == game.id);
            process.map_or_else(|| not_running(game), |(_, process)| self.running_process(process)).of(Some(game.id))
        };
        self.memory.games.iter().filter(wanted).map(of_game).collect()
    }

    fn running_process(&self, process: &Process) -> Finding {
        let users = &self.facts.users;
        let Some(other) = process.user.filter(|user| users.is_other(Some(*user))) else {
            return Finding::new(Subject::Process, Level::Ok, format!("is running, process {}", process.id));
        };
        let (other, own) = (users.name(other), users.own_name());
        let text = format!("is running, process {}, but as {other}, while gametape runs as {own}", process.id);
        let finding = Finding::new(Subject::Process, Level::Note, text);
        // If it is readable anyway, there is nothing to do.
        match self.memory.look.state {
            State::Away(Away::NotThere | Away::Unreadable(_)) => finding.next(format!("run gametape as {other}")),
            _ => finding,
        }
    }

    fn telemetry(&self) -> (Vec<Finding>, Option<&'static str>) {
        let one = |finding: Finding| (vec![finding], None);
        let moved = self.memory.look.moved;
        match &self.memory.look.state {
            State::Away(Away::NotThere) => (self.not_bridged(), None),
            State::Away(Away::Empty) => one(self.empty()),
            // The finding about the section is more precise.
            State::Away(Away::Unreadable(_)) if self.section_problem() => (Vec::new(), None),
            State::Away(Away::Unreadable(why)) => one(self
                .finding(Level::Problem, format!("the memory does not have the format of {}: {why}", self.name()))
                .next("exit other programs that write this memory, then restart the game")),
            State::Away(Away::Off | Away::Undecided) if moved == Some(true) && some_zero(self.memory) => self.partial(),
            State::Away(Away::Off | Away::Undecided) if moved != Some(true) && self.nobody_writes() => self.left_over(),
            State::Away(Away::Off) => one(self
                .finding(Level::Note, format!("{} is present, without a session: it is in its menus", self.name()))
                .next("start a session; recording starts automatically")),
            State::Away(Away::Undecided) => one(self
                .finding(Level::Note, format!("it is not clear yet whether this is {}", self.names()))
                .next("drive out of the pits, then run `gametape doctor` again")),
            // A program that writes under a prefix has no known process, and may be paused.
            State::Here(Presence::Paused) if !self.facts.prefix.as_str().is_empty() => self.ready(),
            State::Here(_) if moved == Some(false) && self.nobody_writes() => self.left_over(),
            State::Here(Presence::Live) if moved == Some(false) => one(self
                .finding(
                    Level::Note,
                    format!("{} reports that it is live, but nothing moves: it is loading, or it hangs", self.name()),
                )
                .next("run `gametape doctor` again in a moment; if this does not change, restart the game")),
            State::Here(_) | State::Ended => self.ready(),
        }
    }

    fn finding(&self, level: Level, text: String) -> Finding {
        Finding::new(Subject::Telemetry, level, text).of(self.id())
    }

    fn names(&self) -> String {
        let names: Vec<&str> = self.memory.games.iter().map(|game| game.name).collect();
        names.join(" or ")
    }

    /// Returns findings about running games that have no shared memory.
    fn not_bridged(&self) -> Vec<Finding> {
        let mut games: Vec<&'static Game> = Vec::new();
        for (game, _) in &self.running {
            let writes = self.memory.look.game.is_some_and(|of| of.id == game.id) || self.writes_elsewhere(game);
            if !writes && games.iter().all(|known| known.id != game.id) {
                games.push(game);
            }
        }
        let told = |game: &Game, id| {
            if let Some((_, seen)) = self.in_wine().find(|(running, _)| running.id == game.id) {
                return judge_wine::not_found(game, seen).of(Some(id));
            }
            let (text, to_do) = advice::no_memory(game, self.facts.system);
            Finding::new(Subject::Telemetry, Level::Problem, text).next(to_do).of(Some(id))
        };
        // If only some sections are missing, there is a separate finding.
        let all_missing = self.memory.sections.iter().all(|section| section.found == SectionFound::Missing);
        games.into_iter().filter(|_| all_missing).map(|game| told(game, game.id)).collect()
    }

    /// Returns whether EVO writes elsewhere: before 0.6 it uses the names of other games, and only physics.
    fn writes_elsewhere(&self, game: &Game) -> bool {
        let physics_alone = |memory: &Memory| {
            memory.games.iter().any(|game| game.id == acr::GAME.id)
                && memory.look.moved == Some(true)
                && some_zero(memory)
        };
        game.id == ace::GAME.id && self.facts.memories.iter().any(physics_alone)
    }

    fn empty(&self) -> Finding {
        match self.running.first() {
            Some((game, _)) => Finding::new(
                Subject::Telemetry,
                Level::Problem,
                format!("{} is running, but writes nothing into its memory", game.name),
            )
            .next(advice::not_written(game, self.facts.system))
            .of(Some(game.id)),
            None => self
                .finding(Level::Note, format!("the memory of {} exists, but no game has written to it", self.names()))
                .next("start the game; the program that created the memory, such as a bridge, is in place"),
        }
    }

    /// Some pages are written, but not those that identify the session.
    fn partial(&self) -> (Vec<Finding>, Option<&'static str>) {
        let runs = |game: &Game| {
            let mut processes = self.facts.processes.iter().flatten();
            processes.any(|process| game.processes.iter().any(|program| process.runs(program)))
        };
        let Some(rally) = self.memory.games.iter().find(|game| game.id == acr::GAME.id) else {
            return (
                vec![
                    self.finding(Level::Note, format!("{} is loading", self.name()))
                        .next("run `gametape doctor` again in a moment"),
                ],
                None,
            );
        };
        // A game that fills all its pages does so within a moment.
        if let Some((game, _)) = self.running.iter().find(|(game, _)| game.id != rally.id) {
            let text = format!("{} writes physics and leaves the other pages zero: it is loading", game.name);
            let finding = Finding::new(Subject::Telemetry, Level::Note, text).of(Some(game.id));
            return (
                vec![finding.next("run `gametape doctor` again in a moment; recording starts automatically")],
                None,
            );
        }
        let game = if runs(&ace::GAME) { &ace::GAME } else { rally };
        if self.facts.game.is_some_and(|wanted| wanted.id != game.id) {
            let text = format!("{} writes physics and leaves the other pages zero", game.name);
            let to_do = format!("leave out --game, or use --game {}", game.id);
            return (vec![Finding::new(Subject::Telemetry, Level::Note, text).next(to_do).of(Some(game.id))], None);
        }
        let text = format!("{}, physics only: the game leaves its other pages zero", game.name);
        (vec![Finding::new(Subject::Telemetry, Level::Ok, text).of(Some(game.id))], Some(game.id))
    }

    fn left_over(&self) -> (Vec<Finding>, Option<&'static str>) {
        let text = format!("left over from a game that ended: nothing moves, and {} is not running", self.name());
        let mut findings =
            vec![self.finding(Level::Note, text).next("start the game; the leftover memory does no harm")];
        if let Some((game, _)) = self.running.first() {
            let text = format!("{} is running, but writes nothing into this memory", game.name);
            let finding = Finding::new(Subject::Telemetry, Level::Problem, text);
            findings.push(finding.next(advice::not_written(game, self.facts.system)).of(Some(game.id)));
        }
        (findings, None)
    }

    fn ready(&self) -> (Vec<Finding>, Option<&'static str>) {
        let Some(game) = self.game else { return (Vec::new(), None) };
        let about = &self.memory.look.about;
        let more: Vec<&str> =
            [&about.session, &about.car, &about.track].into_iter().filter_map(|text| text.as_deref()).collect();
        let text = [&[game.name, self.memory.look.state.text()], more.as_slice()].concat().join(", ");
        match self.facts.game.filter(|wanted| wanted.id != game.id) {
            None => (vec![self.finding(Level::Ok, text)], Some(game.id)),
            Some(wanted) => {
                let text = format!("{text}: not {}, whose memory has the same names", wanted.name);
                let to_do = format!("leave out --game, or use --game {}", game.id);
                (vec![self.finding(Level::Note, text).next(to_do)], None)
            }
        }
    }

    fn section_problem(&self) -> bool {
        let fine = |section: &Section| match section.found {
            SectionFound::There { bytes, .. } => bytes >= section.least_bytes,
            _ => false,
        };
        !self.memory.sections.iter().all(fine)
    }

    /// Returns whether neither the game nor a player is there to write.
    fn nobody_writes(&self) -> bool {
        self.its_process() == Some(false) && self.facts.player.is_none()
    }
}

fn some_zero(memory: &Memory) -> bool {
    let zero = |found: &SectionFound| matches!(found, SectionFound::There { zero: true, .. });
    memory.sections.iter().any(|section| zero(&section.found))
}

fn not_running(game: &Game) -> Finding {
    Finding::new(Subject::Process, Level::Note, format!("{} is not running", game.processes.join(", ")))
}
