//! The simulation: runs a game and a script, and keeps the content of the game's memory for every millisecond.
//!
//! Takes [`Settings`] and a [`Script`]; gives [`Pages`], step by step or as samples at any rate. The sample at a given time does not depend on the sample
//! rate, because pages change only when the game writes them.
use std::vec;

use crate::bare::Bare;
use crate::board::Board;
use crate::game::{Command, Game, Settings};
use crate::pages::Pages;
use crate::samples::Samples;
use crate::script::{Change, PagesChange, Script};

/// How often the game writes its pages, in Hz; at most 1000.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// The physics page.
    pub physics_hz: u32,
    /// The graphics page.
    pub graphics_hz: u32,
}

impl Rates {
    /// The rates of the game.
    pub const GAME: Self = Self { physics_hz: 333, graphics_hz: 60 };
    /// Every millisecond, so that each change of a script is visible at its time.
    pub const EVERY_MS: Self = Self { physics_hz: 1000, graphics_hz: 1000 };
}

/// Which pages were written in a step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Written {
    /// The car.
    pub physics: bool,
    /// Session and laps.
    pub graphics: bool,
    /// Names.
    pub static_page: bool,
}

impl Written {
    const ALL: Self = Self { physics: true, graphics: true, static_page: true };
    const NONE: Self = Self { physics: false, graphics: false, static_page: false };

    /// Whether any page was written.
    #[must_use]
    pub fn any(self) -> bool {
        self != Self::NONE
    }
}

#[derive(Debug)]
enum Body {
    Driving(Box<Game>),
    Bare(Box<Bare>),
}

struct Hold {
    until_ms: u64,
    change: PagesChange,
}

/// A simulated game, advanced millisecond by millisecond.
pub struct Simulation {
    body: Body,
    changes: std::iter::Peekable<vec::IntoIter<(u64, Change)>>,
    holds: Vec<Hold>,
    written: Pages,
    shown: Option<Box<Pages>>,
    ms: u64,
    end_ms: Option<u64>,
    rates: Rates,
    time_runs: bool,
    hangs: bool,
    unseen: bool,
    crashed: bool,
    board_changed: bool,
}

impl Simulation {
    /// Creates a simulation of the driving car with a script over it. It ends at [`Script::end`], otherwise never.
    #[must_use]
    pub fn driving(settings: Settings, script: Script) -> Self {
        let game = Game::new(settings);
        let pages = game.first_pages();
        Self::new(Body::Driving(Box::new(game)), pages, script, Rates::GAME)
    }

    /// Creates a simulation without a car: the script sets all values. Pages are written every millisecond. It ends at the last position of the
    /// script's cursor.
    #[must_use]
    pub fn bare(script: Script) -> Self {
        let bare = Bare::new();
        let pages = bare.first_pages();
        Self::new(Body::Bare(Box::new(bare)), pages, script, Rates::EVERY_MS)
    }

    fn new(body: Body, pages: Pages, script: Script, rates: Rates) -> Self {
        let (changes, cursor_ms, end_ms) = script.into_changes();
        let ends_with_script = matches!(body, Body::Bare(_)).then_some(cursor_ms);
        let mut simulation = Self {
            body,
            changes: changes.into_iter().peekable(),
            holds: Vec::new(),
            written: pages,
            shown: None,
            ms: 0,
            end_ms: end_ms.or(ends_with_script),
            rates,
            time_runs: true,
            hangs: false,
            unseen: false,
            crashed: false,
            board_changed: false,
        };
        let pokes = simulation.apply_changes();
        simulation.write(true);
        simulation.poke(pokes);
        simulation
    }

    /// Sets the rates at which the pages are written.
    #[must_use]
    pub fn with_rates(mut self, rates: Rates) -> Self {
        self.rates = rates;
        self
    }

    /// Returns the milliseconds since the start.
    #[must_use]
    pub fn ms(&self) -> u64 {
        self.ms
    }

    /// Returns the current content of the game's memory.
    #[must_use]
    pub fn pages(&self) -> &Pages {
        self.shown.as_deref().unwrap_or(&self.written)
    }

    /// Returns the current values of session and laps. The pages show them with the next write.
    #[must_use]
    pub fn board(&self) -> &Board {
        match &self.body {
            Body::Driving(game) => &game.board,
            Body::Bare(bare) => &bare.board,
        }
    }

    /// Returns the game with the car; `None` in a simulation without a car.
    #[must_use]
    pub fn game(&self) -> Option<&Game> {
        match &self.body {
            Body::Driving(game) => Some(game),
            Body::Bare(_) => None,
        }
    }

    /// Whether the game crashed, as scripted.
    #[must_use]
    pub fn is_crashed(&self) -> bool {
        self.crashed
    }

    /// Whether the simulation has ended: further steps do nothing.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.crashed || self.end_ms.is_some_and(|end_ms| self.ms >= end_ms)
    }

    /// Whether a reader can see the game now: it has not crashed, and the script does not hide it.
    #[must_use]
    pub fn is_seen(&self) -> bool {
        !self.unseen && !self.crashed
    }

    /// Advances by a millisecond. Returns the pages that were written; none when the simulation is over.
    pub fn step(&mut self) -> Written {
        if self.is_over() {
            return Written::NONE;
        }
        self.ms += 1;
        if self.time_runs && !self.hangs {
            match &mut self.body {
                Body::Driving(game) => game.step(),
                Body::Bare(bare) => bare.step(),
            }
        }
        let pokes = self.apply_changes();
        let written = if self.hangs || self.crashed { Written::NONE } else { self.write(false) };
        let poked = self.poke(pokes);
        if poked { Written::ALL } else { written }
    }

    /// Applies the script's changes for this millisecond, except those of the pages. These are returned, to be applied after the game's own writes.
    fn apply_changes(&mut self) -> Vec<PagesChange> {
        let mut pokes = Vec::new();
        while let Some((_, change)) = self.changes.next_if(|(at_ms, _)| *at_ms <= self.ms) {
            match (change, &mut self.body) {
                (Change::Board(mut change), Body::Driving(game)) => change(&mut game.board),
                (Change::Board(mut change), Body::Bare(bare)) => change(&mut bare.board),
                (Change::Command(command), body) => Self::command(body, command),
                (Change::Glide { position, over_ms }, Body::Bare(bare)) => bare.glide(position, over_ms),
                (Change::SessionLength(ms), Body::Bare(bare)) => bare.session_length(ms),
                (Change::Glide { .. } | Change::SessionLength(_), Body::Driving(_)) => {}
                (Change::Poke(change), _) => pokes.push(change),
                (Change::Hold { for_ms, change }, _) => {
                    self.holds.push(Hold { until_ms: self.ms + for_ms, change });
                }
                (Change::TimeRuns(runs), _) => self.time_runs = runs,
                (Change::Hangs(hangs), _) => self.hangs = hangs,
                (Change::Unseen(unseen), _) => self.unseen = unseen,
                (Change::Crash, _) => self.crashed = true,
            }
            self.board_changed = true;
        }
        pokes
    }

    fn command(body: &mut Body, command: Command) {
        match body {
            Body::Driving(game) => game.command(command),
            Body::Bare(bare) => bare.command(command),
        }
    }

    /// Writes the pages that are due. While the game's time stands still, only changes of the script are written.
    fn write(&mut self, first: bool) -> Written {
        let due = |hz: u32| {
            let hz = u64::from(hz.clamp(1, 1000));
            first || self.ms * hz / 1000 > (self.ms - 1) * hz / 1000
        };
        let physics = due(self.rates.physics_hz) && (self.time_runs || first);
        let graphics = due(self.rates.graphics_hz) && (self.time_runs || self.board_changed || first);
        if physics {
            match &self.body {
                Body::Driving(game) => game.write_physics(&mut self.written),
                Body::Bare(bare) => bare.write_physics(&mut self.written),
            }
            let number = &mut self.written.physics.packet_id;
            *number = number.wrapping_add(1);
        }
        if graphics {
            match &self.body {
                Body::Driving(game) => game.write_graphics(&mut self.written),
                Body::Bare(bare) => bare.write_graphics(&mut self.written),
            }
            let number = &mut self.written.graphics.packet_id;
            *number = number.wrapping_add(1);
            self.board_changed = false;
        }
        Written { physics, graphics, static_page: first }
    }

    /// Applies changes of the pages. Returns whether the pages changed other than by the game's own writes.
    fn poke(&mut self, pokes: Vec<PagesChange>) -> bool {
        let mut poked = !pokes.is_empty();
        for mut change in pokes {
            change(&mut self.written, self.ms);
        }
        self.holds.retain(|hold| self.ms < hold.until_ms);
        poked |= self.shown.is_some() || !self.holds.is_empty();
        self.shown = None;
        if !self.holds.is_empty() {
            let mut shown = Box::new(self.written.clone());
            self.holds.iter_mut().for_each(|hold| (hold.change)(&mut shown, self.ms));
            self.shown = Some(shown);
        }
        poked
    }

    /// Turns the simulation into an iterator that samples the pages `rate_hz` times a second, from the start to the end.
    #[must_use]
    pub fn sample(self, rate_hz: u32) -> Samples {
        Samples::new(self, rate_hz)
    }
}
