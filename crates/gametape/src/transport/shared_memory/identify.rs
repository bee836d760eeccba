//! Decides whether pages that look like those of a game really belong to it. The pages of some games always look like those of
//! another game that is still loading.
//!
//! Takes one observation after the other and accepts the game once its counter has moved for as long as the rules of the game
//! require.

use gametape_games::{FAMILIES, GAMES, Game};

use crate::sys::Prefix;
use crate::sys::Process;

/// A counter that does not change for this long has stopped.
const STILL_NS: u64 = 500_000_000;

/// The game that the observations so far point to.
#[derive(Debug, Default)]
pub(super) struct Belief(Option<Candidate>);

#[derive(Debug)]
struct Candidate {
    game: &'static str,
    counter: Option<i64>,
    /// Time since which the counter has moved without stopping.
    since_ns: u64,
    moved_ns: u64,
}

impl Belief {
    /// Records that the pages look like those of `game`. Returns whether they are accepted as such.
    pub(super) fn look(&mut self, game: &'static Game, counter: Option<i64>, now_ns: u64) -> bool {
        let candidate = match &mut self.0 {
            Some(candidate) if candidate.game == game.id => candidate,
            other => other.insert(Candidate { game: game.id, counter, since_ns: now_ns, moved_ns: now_ns }),
        };
        if candidate.counter != counter {
            (candidate.counter, candidate.moved_ns) = (counter, now_ns);
        } else if now_ns.saturating_sub(candidate.moved_ns) >= STILL_NS {
            (candidate.since_ns, candidate.moved_ns) = (now_ns, now_ns);
        }
        now_ns.saturating_sub(candidate.since_ns) >= game.rules.believed_after_ns()
    }

    /// Records that the pages do not look like those of any game.
    pub(super) fn forget(&mut self) {
        self.0 = None;
    }
}

/// Returns all games that share pages with `games`, including those that are not requested. Longer pages show which game of the
/// family it is.
pub(super) fn family_of(games: &'static [Game]) -> &'static [Game] {
    let first = |games: &[Game]| games.first().and_then(|game| game.sections().next());
    FAMILIES.iter().copied().find(|family| first(family) == first(games)).unwrap_or(games)
}

/// Distinguishes an older version of a game (EVO before 0.6) from another game with the same pages (Rally): if the program of the former is
/// running, the pages are its own. Applies only to pages that are not accepted immediately. Names with a prefix do not belong to a program.
pub(super) fn named_by_process(
    game: &'static Game,
    prefix: &Prefix,
    processes: impl FnOnce() -> Vec<Process>,
) -> &'static Game {
    if game.rules.believed_after_ns() == 0 || !prefix.as_str().is_empty() {
        return game;
    }
    let looks_the_same = |version: &&Game| version.sections().next() == game.sections().next();
    let versions =
        GAMES.iter().filter(|other| other.id != game.id).flat_map(|other| other.shared_memory.older_versions);
    let mut versions = versions.filter(looks_the_same).peekable();
    if versions.peek().is_none() {
        return game;
    }
    let processes = processes();
    let runs =
        |version: &&Game| version.processes.iter().any(|program| processes.iter().any(|process| process.runs(program)));
    versions.find(runs).unwrap_or(game)
}

#[cfg(test)]
mod tests {
    use gametape_games::{ASSETTO_CORSA_FAMILY, acc, ace, acr};

    use super::*;

    const MS: u64 = 1_000_000;

    fn rally() -> &'static Game {
        ASSETTO_CORSA_FAMILY.iter().find(|game| game.id == acr::GAME.id).unwrap()
    }

    #[test]
    fn a_game_whose_pages_are_its_own_is_believed_at_once() {
        assert!(Belief::default().look(&acc::GAME, None, 5));
    }

    #[test]
    fn pages_that_move_for_two_seconds_are_believed() {
        let mut belief = Belief::default();
        let believed: Vec<bool> =
            (0..250).map(|tick| belief.look(rally(), Some(tick), tick as u64 * 10 * MS)).collect();
        assert_eq!(believed.iter().position(|believed| *believed), Some(200));
        assert!(believed[200..].iter().all(|believed| *believed));
    }

    #[test]
    fn looks_that_are_seconds_apart_believe_too() {
        let mut belief = Belief::default();
        let believed = [0, 1, 2].map(|tick| belief.look(rally(), Some(tick), tick as u64 * 1000 * MS));
        assert_eq!(believed, [false, false, true]);
    }

    #[test]
    fn what_a_game_left_behind_is_never_believed() {
        let mut belief = Belief::default();
        assert!((0..1000).all(|tick| !belief.look(rally(), Some(7), tick * 10 * MS)));
    }

    #[test]
    fn a_rest_or_another_look_begins_anew() {
        let mut belief = Belief::default();
        let mut look = |counter: i64, ms: u64| belief.look(rally(), Some(counter), ms * MS);
        assert!((0..190).all(|tick| !look(tick, tick as u64 * 10)));
        assert!(!look(190, 1900) && !look(190, 2400), "it rested for half a second");
        assert!(!look(191, 2410) && !look(192, 4390) && look(193, 4410));
        belief.forget();
        assert!(!belief.look(rally(), Some(194), 4420 * MS));
    }

    #[test]
    fn families_are_found_by_the_names_of_their_pages() {
        let ids = |games: &'static [Game]| family_of(games).iter().map(|game| game.id).collect::<Vec<_>>();
        assert_eq!(ids(&[acr::GAME]), ["assetto-corsa-competizione", "assetto-corsa", "assetto-corsa-rally"]);
        assert_eq!(ids(&[ace::BEFORE_0_6]), ids(&[acr::GAME]));
        assert_eq!(ids(&[ace::GAME]), ["assetto-corsa-evo"]);
    }

    #[test]
    fn old_evo_is_named_by_its_process_and_under_a_prefix_nobody_is() {
        let evo = || vec![Process { id: 7, user: None, name: "AssettoCorsaEVO".into(), program: None }];
        let named = |game, prefix, processes: fn() -> Vec<Process>| named_by_process(game, prefix, processes);
        let (none, some) = (Prefix::default(), Prefix::new("gametape-test-").unwrap());
        let old = named(rally(), &none, evo);
        assert_eq!((old.id, old.streams.len()), (ace::GAME.id, 1), "physics alone");
        assert_eq!(named(rally(), &none, Vec::new).id, acr::GAME.id);
        assert_eq!(named(rally(), &some, evo).id, acr::GAME.id);
        assert_eq!(named(&acc::GAME, &none, evo).id, acc::GAME.id);
    }
}
