//! The car of one tape, from the events of the tracker and the decoded frames.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gametape_analysis::Decoding;
use gametape_analysis::live::{CarNow, CarState, Deltas, Fuel, Reference, RunningLap};

use super::CarSink;
use crate::games::{Presence, Sample};
use crate::laps::{Event, Id, Lap, ReasonCode, Session};
use crate::live::tap::{Begun, What};

/// A car that is live but does not move for this long is stale.
const STALE_NS: u64 = 2_000_000_000;

/// The car of one tape.
pub(crate) struct Watching {
    begun: Arc<Begun>,
    sink: Arc<dyn CarSink>,
    /// Minimum interval of updates.
    every: Duration,
    /// When the next update is due.
    due: Option<Instant>,
    decoding: Option<Decoding>,
    session: Option<Session>,
    lap: Option<RunningLap>,
    last_lap: Option<Lap>,
    best_ms: Option<u32>,
    deltas: Deltas,
    best_ever: BestEver,
    fuel: Fuel,
    rpm_max: Option<f32>,
    sample: Sample,
    moved_ns: u64,
}

impl Watching {
    pub(crate) fn begin(begun: &Arc<Begun>, sink: &Arc<dyn CarSink>, every: Duration) -> Self {
        Self {
            begun: Arc::clone(begun),
            sink: Arc::clone(sink),
            every,
            due: None,
            decoding: Decoding::new(&begun.tape.game, begun.streams.iter()),
            session: None,
            lap: None,
            last_lap: None,
            best_ms: None,
            deltas: Deltas::default(),
            best_ever: BestEver::default(),
            fuel: Fuel::default(),
            rpm_max: None,
            sample: Sample::default(),
            moved_ns: 0,
        }
    }

    /// Handles an item of the ring buffer, and shows the car if an update is due.
    pub(crate) fn take(&mut self, what: What, time_ns: u64, bytes: &[u8]) {
        if let What::Frame { stream, .. } = what {
            let sample = self.decoding.as_mut().and_then(|decoding| decoding.frame(stream, bytes)).copied();
            sample.into_iter().for_each(|sample| self.see(sample, time_ns));
        }
        let now = Instant::now();
        let late = self.due.unwrap_or(now);
        if now >= late {
            // Relative to the deadline: with pages every 10 ms, the rate would be 50 Hz otherwise.
            self.due = Some((late + self.every).max(now));
            self.show(time_ns);
        }
    }

    /// Handles the events of the tracker.
    pub(crate) fn hear(&mut self, events: &[Event]) {
        events.iter().for_each(|event| self.hear_one(event));
    }

    /// Reports that there is no car any more.
    pub(crate) fn gone(&self) {
        self.sink.gone();
    }

    fn see(&mut self, sample: Sample, time_ns: u64) {
        if sample != self.sample {
            self.moved_ns = time_ns;
        }
        self.rpm_max = [self.rpm_max, sample.rpm].into_iter().flatten().reduce(f32::max);
        self.sample = sample;
        if let Some(lap) = &self.lap {
            self.deltas.add(&self.sample, lap.since_line_ns(time_ns));
        }
    }

    fn hear_one(&mut self, event: &Event) {
        match event {
            Event::SessionOpened(session) => {
                (self.lap, self.last_lap, self.best_ms) = (None, None, None);
                (self.deltas, self.best_ever) = (Deltas::default(), BestEver::default());
                self.best_ever.look_for(session, &self.sink);
                self.session = Some(session.clone());
            }
            Event::SessionChanged(session) => {
                self.best_ever.look_for(session, &self.sink);
                self.session = Some(session.clone());
            }
            Event::SessionClosed(_) => (self.session, self.lap) = (None, None),
            Event::LapOpened(lap) => {
                let sectors = self.session.as_ref().and_then(|session| session.sector_count).map_or(0, usize::from);
                let before = self.lap.replace(RunningLap {
                    id: lap.id,
                    number: lap.number,
                    tape_lap: lap.tape_lap,
                    driver: lap.driver.clone(),
                    phase: lap.phase,
                    start_ns: lap.start_ns,
                    joined: lap.has(ReasonCode::PartialStart),
                    sectors_ms: vec![None; sectors],
                });
                self.deltas.lap_begins(before.map(|lap| lap.id));
            }
            Event::SectorClosed { lap, number, sector } => {
                let running = self.lap.as_mut().filter(|running| running.id == *lap);
                let index = usize::from(*number).saturating_sub(1);
                if let Some(room) = running.and_then(|running| running.sectors_ms.get_mut(index)) {
                    *room = sector.time_ms;
                }
            }
            Event::LapFinal(lap) => {
                lap.fuel_used_l.filter(|_| lap.complete).into_iter().for_each(|used| self.fuel.used(used));
                self.last_lap = Some(lap.clone());
            }
            Event::LapProvisional(lap) | Event::LapAborted(lap) => self.last_lap = Some(lap.clone()),
            Event::LapAmended(lap) => self.amend(lap),
            // Several drivers may share the car; the session belongs to its first driver.
            Event::BestChanged { driver, best_lap, time_ms, .. }
                if self.session.as_ref().is_none_or(|session| session.driver == *driver) =>
            {
                self.best_ms = *time_ms;
                self.deltas.best_is(*best_lap);
            }
            _ => {}
        }
    }

    fn amend(&mut self, lap: &Lap) {
        if self.last_lap.as_ref().is_some_and(|last| last.id == lap.id) {
            self.last_lap = Some(lap.clone());
        }
    }

    /// Shows the state of the car at this time.
    fn show(&self, at_ns: u64) {
        let since_line_ns = self.lap.as_ref().and_then(|lap| lap.since_line_ns(at_ns));
        let stale = at_ns.saturating_sub(self.moved_ns) > STALE_NS;
        let (best_ever_ms, delta_best_ms) = self.best_ever.to(&self.sample, since_line_ns);
        let running = self.lap.is_some();
        self.sink.car(&CarNow {
            tape: &self.begun.tape,
            at_ns,
            state: match self.sample.presence {
                Some(Presence::Live) if stale => CarState::Stale,
                Some(Presence::Live) => CarState::Driving,
                Some(Presence::Paused) => CarState::Paused,
                Some(Presence::Replay) => CarState::Replay,
                Some(Presence::Off) | None => CarState::Menu,
            },
            session: self.session.as_ref(),
            lap: self.lap.as_ref(),
            lap_time_ms: self.sample.lap_time_ms.filter(|_| running),
            last_lap: self.last_lap.as_ref(),
            best_ms: self.best_ms,
            delta_session_ms: self.deltas.to_best_ms(&self.sample, since_line_ns).filter(|_| running),
            // The minimum of both: the session may have beaten it.
            best_ever_ms: [best_ever_ms, self.best_ms].into_iter().flatten().min(),
            delta_best_ms: delta_best_ms.filter(|_| running),
            rpm_max: self.rpm_max,
            fuel_per_lap_l: self.fuel.per_lap_l(),
            fuel_laps_left: self.fuel.laps_left(self.sample.fuel_l),
            sample: &self.sample,
        });
    }
}

/// Name of the part that failed if the best lap cannot be looked up.
const BEST_EVER: &str = "the comparison with the best lap";

/// The best lap ever, once it was found.
#[derive(Default)]
struct BestEver {
    /// Session, track and car that it was looked up for.
    asked: Option<(Id, Option<String>, Option<String>)>,
    found: Arc<Mutex<Option<Reference>>>,
}

impl BestEver {
    /// Looks it up on another thread, because it is on disk.
    fn look_for(&mut self, session: &Session, sink: &Arc<dyn CarSink>) {
        let asked = (session.id, session.track.clone(), session.car.clone());
        if session.track.is_none() || session.car.is_none() || self.asked.as_ref() == Some(&asked) {
            return;
        }
        *self = Self { asked: Some(asked), found: Arc::default() };
        let (sink, session, found) = (Arc::clone(sink), session.clone(), Arc::clone(&self.found));
        let failing = Arc::clone(&sink);
        let look = move || match catch_unwind(AssertUnwindSafe(|| sink.best_ever(&session))) {
            Ok(best) => *found.lock().unwrap_or_else(PoisonError::into_inner) = best,
            Err(_) => sink.failed(BEST_EVER),
        };
        if std::thread::Builder::new().name("gametape-best".into()).spawn(look).is_err() {
            failing.failed(BEST_EVER);
        }
    }

    /// Returns its time, and the time difference at this position.
    fn to(&self, sample: &Sample, since_line_ns: Option<u64>) -> (Option<u32>, Option<i32>) {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let reference = found.as_ref();
        (reference.and_then(|best| best.time_ms), reference.and_then(|best| best.delta_ms(sample, since_line_ns)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;
    use crate::laps::track_tape;

    struct FailingLookup(Mutex<Sender<&'static str>>);

    impl CarSink for FailingLookup {
        fn car(&self, _: &CarNow<'_>) {}

        fn gone(&self) {}

        fn best_ever(&self, _: &Session) -> Option<Reference> {
            panic!("the tape of the best lap cannot be read")
        }

        fn failed(&self, part: &'static str) {
            self.0.lock().unwrap().send(part).unwrap();
        }
    }

    #[test]
    fn a_panic_while_the_best_lap_is_looked_up_is_reported() {
        let case = concat!(env!("CARGO_MANIFEST_DIR"), "/../games/src/iracing/testcases/lap-and-pits/frames.gtape");
        let tracked = track_tape(&gametape_format::read::Tape::open(case).unwrap()).unwrap();
        let session = &tracked.sessions[0].session;
        assert!(session.track.is_some() && session.car.is_some());
        let (failed, reported) = channel();
        let sink: Arc<dyn CarSink> = Arc::new(FailingLookup(Mutex::new(failed)));
        BestEver::default().look_for(session, &sink);
        assert_eq!(reported.recv_timeout(Duration::from_secs(60)), Ok(BEST_EVER));
    }
}
