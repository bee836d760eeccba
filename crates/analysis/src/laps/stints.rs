//! Stints: from leaving the pit box to the next stop in it, or to a driver change. Neither a drive-through nor a menu ends a stint.

use gametape_games::LapFrame;

use super::model::Stint;
use super::running::in_box;
use super::words::{StintEnd, StintStart};

/// The stints of a session.
#[derive(Debug, Default)]
pub(super) struct Stints {
    count: u32,
    pub(super) open: Option<Stint>,
    /// The previous stint. Its last lap may end after it, if the pit box lies before the line.
    closed: Option<Stint>,
    /// When the car stopped in its box, and its fuel then.
    boxed: Option<(u64, Option<f32>)>,
    swapped: bool,
    next: Option<StintStart>,
    tyre_set: Option<i32>,
}

/// The stints that a frame closed and opened.
#[derive(Debug, Default)]
pub(super) struct Turn {
    pub(super) closed: Option<Stint>,
    pub(super) opened: Option<Stint>,
}

impl Stints {
    /// Returns the number of the current stint.
    pub(super) fn n(&self) -> Option<u32> {
        self.open.as_ref().map(|stint| stint.n)
    }

    /// Adds a frame.
    pub(super) fn look(&mut self, time_ns: u64, frame: &LapFrame, driver: Option<&str>) -> Turn {
        let mut turn = Turn::default();
        if in_box(frame) {
            if self.open.is_some() && self.boxed.is_none() {
                self.boxed = Some((time_ns, frame.fuel_l));
            }
            return turn;
        }
        if let Some((since_ns, fuel_l)) = self.boxed.take() {
            let (end, start) = if std::mem::take(&mut self.swapped) {
                (StintEnd::DriverSwap, StintStart::DriverSwap)
            } else {
                (StintEnd::Pit, StintStart::Pit)
            };
            turn.closed = self.close(end, since_ns, fuel_l);
            self.next = Some(start);
        }
        let other_tyres = Option::zip(self.tyre_set, frame.tyre_set).is_some_and(|(before, now)| before != now);
        if self.open.is_some() && other_tyres {
            turn.closed = self.close(StintEnd::TyreChange, time_ns, frame.fuel_l);
            self.next = Some(StintStart::TyreChange);
        }
        self.tyre_set = frame.tyre_set;
        if self.open.is_none() {
            turn.opened = Some(self.begin(time_ns, frame, driver));
        }
        if let Some(stint) = &mut self.open {
            stint.fuel_start_l = stint.fuel_start_l.or(frame.fuel_l);
        }
        turn
    }

    fn begin(&mut self, time_ns: u64, frame: &LapFrame, driver: Option<&str>) -> Stint {
        self.count += 1;
        let stint = Stint {
            n: self.count,
            start: self.next.take().unwrap_or(StintStart::Start),
            end: None,
            start_ns: time_ns,
            end_ns: None,
            first_lap: None,
            last_lap: None,
            driver: driver.map(str::to_owned),
            fuel_start_l: frame.fuel_l,
            fuel_end_l: None,
            tyre_set: frame.tyre_set,
        };
        self.open = Some(stint.clone());
        stint
    }

    /// Handles a driver change. In the box, the stint ends when the car leaves it.
    pub(super) fn swap(&mut self, time_ns: u64, frame: &LapFrame) -> Turn {
        let mut turn = Turn::default();
        if self.boxed.is_some() {
            self.swapped = true;
        } else {
            turn.closed = self.close(StintEnd::DriverSwap, time_ns, frame.fuel_l);
            self.next = Some(StintStart::DriverSwap);
        }
        turn
    }

    /// Handles a return to the garage.
    pub(super) fn garage(&mut self, time_ns: u64, fuel_l: Option<f32>) -> Turn {
        let closed = self.close(StintEnd::Garage, time_ns, fuel_l);
        self.next = Some(StintStart::Garage);
        Turn { closed, opened: None }
    }

    /// Handles the end of the session.
    pub(super) fn end(&mut self, time_ns: u64, fuel_l: Option<f32>) -> Option<Stint> {
        self.close(StintEnd::End, time_ns, fuel_l)
    }

    fn close(&mut self, end: StintEnd, time_ns: u64, fuel_l: Option<f32>) -> Option<Stint> {
        self.boxed = None;
        let mut stint = self.open.take()?;
        stint.end = Some(end);
        stint.end_ns = Some(time_ns.max(stint.start_ns));
        stint.fuel_end_l = fuel_l;
        self.closed = Some(stint.clone());
        Some(stint)
    }

    /// Adds a lap to the stint with this number. Returns that stint if it is closed already.
    pub(super) fn lap(&mut self, n: Option<u32>, tape_lap: u32) -> Option<Stint> {
        let stint = [&mut self.open, &mut self.closed].into_iter().flatten().find(|stint| Some(stint.n) == n)?;
        stint.first_lap.get_or_insert(tape_lap);
        // A lap that the player went back into ends after those that followed it.
        stint.last_lap = stint.last_lap.max(Some(tape_lap));
        stint.end.is_some().then(|| stint.clone())
    }
}
