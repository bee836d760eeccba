//! The thread that watches one recorder's car.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::CarSink;
use super::car::{CarNow, CarState, RunningLap};
use super::deltas::Deltas;
use super::fuel::Fuel;
use super::reference::Reference;
use crate::games::{Presence, Sample};
use crate::laps::live::tap::{Begun, Slot, What};
use crate::laps::{Event, Id, Lap, ReasonCode, Session, Tracking};
use crate::library::{Decoding, Ring, ThreadWaker};

/// Screens show no more: 60 a second.
const EVERY: Duration = Duration::from_micros(16_667);
/// A car that drives and does not move for this long is stale.
const STALE_NS: u64 = 2_000_000_000;

/// The car of one tape.
pub(super) struct Watching {
    begun: Arc<Begun>,
    decoding: Option<Decoding>,
    tracking: Option<Tracking>,
    events: Vec<Event>,
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
    pub(super) fn begin(begun: &Arc<Begun>) -> Self {
        let game = &begun.tape.game;
        let mut tracking = Tracking::new(game, begun.tape.id, &begun.streams).ok();
        if let Some(tracking) = &mut tracking {
            tracking.tracker().clock(0, begun.utc_ns);
        }
        Self {
            begun: Arc::clone(begun),
            decoding: Decoding::new(game, begun.streams.iter()),
            tracking,
            events: Vec::new(),
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

    /// Takes over what a recorder saw.
    pub(super) fn take(&mut self, what: What, time_ns: u64, bytes: &[u8], sink: &Arc<dyn CarSink>) {
        match what {
            What::Frame(stream) => {
                if let Some(tracking) = &mut self.tracking {
                    tracking.frame(stream, time_ns, bytes, &mut self.events);
                }
                self.hear_all(sink);
                let sample = self.decoding.as_mut().and_then(|decoding| decoding.frame(stream, bytes)).copied();
                sample.into_iter().for_each(|sample| self.see(sample, time_ns));
            }
            What::Gap(length_ns) => {
                if let Some(tracking) = &mut self.tracking {
                    tracking.tracker().away(time_ns.saturating_sub(length_ns), time_ns, &mut self.events);
                }
                self.hear_all(sink);
            }
            What::Clock(utc_ns) => {
                self.tracking.iter_mut().for_each(|tracking| tracking.tracker().clock(time_ns, utc_ns));
            }
            What::Mark | What::End(_) | What::Nothing => {}
        }
    }

    fn hear_all(&mut self, sink: &Arc<dyn CarSink>) {
        for event in std::mem::take(&mut self.events) {
            self.hear(event, sink);
        }
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

    fn hear(&mut self, event: Event, sink: &Arc<dyn CarSink>) {
        match event {
            Event::SessionOpened(session) => {
                (self.lap, self.last_lap, self.best_ms) = (None, None, None);
                (self.deltas, self.best_ever) = (Deltas::default(), BestEver::default());
                self.best_ever.look_for(&session, sink);
                self.session = Some(session);
            }
            Event::SessionChanged(session) => {
                self.best_ever.look_for(&session, sink);
                self.session = Some(session);
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
                let running = self.lap.as_mut().filter(|running| running.id == lap);
                let index = usize::from(number).saturating_sub(1);
                if let Some(room) = running.and_then(|running| running.sectors_ms.get_mut(index)) {
                    *room = sector.time_ms;
                }
            }
            Event::LapFinal(lap) => {
                lap.fuel_used_l.filter(|_| lap.complete).into_iter().for_each(|used| self.fuel.used(used));
                self.last_lap = Some(lap);
            }
            Event::LapProvisional(lap) | Event::LapAborted(lap) => self.last_lap = Some(lap),
            Event::LapAmended(lap) => self.amend(lap),
            // Others drive the same car; the session is its first driver's.
            Event::BestChanged { driver, best_lap, time_ms, .. }
                if self.session.as_ref().is_none_or(|session| session.driver == driver) =>
            {
                self.best_ms = time_ms;
                self.deltas.best_is(best_lap);
            }
            _ => {}
        }
    }

    fn amend(&mut self, lap: Lap) {
        if self.last_lap.as_ref().is_some_and(|last| last.id == lap.id) {
            self.last_lap = Some(lap);
        }
    }

    /// Shows the car as it is at this time.
    pub(super) fn show(&self, at_ns: u64, sink: &dyn CarSink) {
        let since_line_ns = self.lap.as_ref().and_then(|lap| lap.since_line_ns(at_ns));
        let stale = at_ns.saturating_sub(self.moved_ns) > STALE_NS;
        let (best_ever_ms, delta_best_ms) = self.best_ever.to(&self.sample, since_line_ns);
        let running = self.lap.is_some();
        sink.car(&CarNow {
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
            // Of two, the better one: the session may have beaten it.
            best_ever_ms: [best_ever_ms, self.best_ms].into_iter().flatten().min(),
            delta_best_ms: delta_best_ms.filter(|_| running),
            rpm_max: self.rpm_max,
            fuel_per_lap_l: self.fuel.per_lap_l(),
            fuel_laps_left: self.fuel.laps_left(self.sample.fuel_l),
            sample: &self.sample,
        });
    }
}

/// The best lap ever, once somebody has found it.
#[derive(Default)]
struct BestEver {
    /// For this track and car.
    asked: Option<(Id, Option<String>, Option<String>)>,
    found: Arc<Mutex<Option<Reference>>>,
}

impl BestEver {
    /// Asks for it, on another thread: it is on a disk.
    fn look_for(&mut self, session: &Session, sink: &Arc<dyn CarSink>) {
        let asked = (session.id, session.track.clone(), session.car.clone());
        if session.track.is_none() || session.car.is_none() || self.asked.as_ref() == Some(&asked) {
            return;
        }
        *self = Self { asked: Some(asked), found: Arc::default() };
        let (sink, session, found) = (Arc::clone(sink), session.clone(), Arc::clone(&self.found));
        let look = move || *found.lock().unwrap_or_else(PoisonError::into_inner) = sink.best_ever(&session);
        // Without a thread there is nothing to compare with, and that is all.
        let _ = std::thread::Builder::new().name("gametape-best".into()).spawn(look);
    }

    /// Its time, and how much later the car is here.
    fn to(&self, sample: &Sample, since_line_ns: Option<u64>) -> (Option<u32>, Option<i32>) {
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let reference = found.as_ref();
        (reference.and_then(|best| best.time_ms), reference.and_then(|best| best.delta_ms(sample, since_line_ns)))
    }
}

/// Watches until the recorder is gone.
pub(super) fn run(ring: &Ring<Slot>, sink: &Arc<dyn CarSink>) {
    let (mut waker, mut watching) = (ThreadWaker::default(), None::<Watching>);
    let mut due: Option<Instant> = None;
    let mut take = |slot: &mut Slot| {
        let Some(begun) = slot.tape.take() else { return };
        if watching.as_ref().is_none_or(|watching| !Arc::ptr_eq(&watching.begun, &begun)) {
            watching = Some(Watching::begin(&begun));
        }
        let Some(car) = &mut watching else { return };
        car.take(slot.what, slot.time_ns, &slot.bytes, sink);
        slot.give_back();
        if matches!(slot.what, What::End(_)) {
            (watching, due) = (None, None);
            sink.gone();
            return;
        }
        let now = Instant::now();
        let late = due.unwrap_or(now);
        if now >= late {
            // From when it was due: pages that come every 10 ms would give 50 a second otherwise.
            due = Some((late + EVERY).max(now));
            car.show(slot.time_ns, &**sink);
        }
    };
    while ring.empty(&mut waker, &mut take) {}
    if watching.is_some() {
        sink.gone();
    }
}
