//! Builds the laps of the model: running, provisional, final, aborted, amended.

use gametape_games::Validity;

use super::bests::{Done, is_complete, is_eligible, judge_ways};
use super::closing::{Closing, Time};
use super::event::Event;
use super::model::{Lap, Reason, Sector};
use super::open_session::{OpenSession, Shared};
use super::record::{apply, heed_second_source};
use super::running::{Moment, RunningLap};
use super::sectors::Finished;
use super::thresholds::COVERAGE;
use super::words::{LapState, Phase, ReasonCode, ReasonSource, SectorSource, TimeSource};

/// What a lap is built from in addition to its frames.
struct End {
    state: LapState,
    end_ns: Option<u64>,
    in_pits: bool,
    time: Option<(u32, TimeSource)>,
    measured_ms: Option<f64>,
    /// Whether the game reported a lap time; `None` while that is pending.
    official: Option<bool>,
}

impl End {
    const RUNNING: Self =
        Self { state: LapState::Running, end_ns: None, in_pits: false, time: None, measured_ms: None, official: None };
}

impl OpenSession {
    /// Announces a lap that has begun.
    pub(super) fn tell(&mut self, shared: &mut Shared, lap: &mut RunningLap, now: &Moment, out: &mut Vec<Event>) {
        lap.start_ns = lap.start_ns.max(shared.lap_end_ns);
        lap.told = Some(shared.next_lap(lap.start_ns));
        lap.started_utc_us = shared.utc.at_us(lap.start_ns);
        let in_pits = super::debounce::in_pits(&now.frame);
        let model = self.model_of(lap, &End { in_pits, ..End::RUNNING });
        out.push(Event::LapOpened(Lap { sectors: Vec::new(), ..model }));
    }

    /// Returns the model of a running lap.
    pub(super) fn running_model(&self, lap: &RunningLap) -> Lap {
        Lap { sectors: Vec::new(), ..self.model_of(lap, &End::RUNNING) }
    }

    fn model_of(&self, lap: &RunningLap, end: &End) -> Lap {
        let (id, tape_lap) = lap.told.unwrap_or((super::model::Id([0; 16]), 0));
        let phase = match end.state {
            LapState::Running if lap.began_in_pits => Phase::Out,
            LapState::Running => lap.phase(false),
            _ => lap.phase(end.in_pits),
        };
        let stint = if lap.began_in_pits { self.stints.n().or(lap.stint) } else { lap.stint.or(self.stints.n()) };
        let (valid, invalid) = lap.latch.verdict(self.identity.validity, end.official);
        let unsure = self.identity.validity == Validity::Flag && lap.has(ReasonCode::PartialEnd);
        let finished = lap.sectors.finish(end.time.map(|(ms, _)| ms), end.measured_ms);
        Lap {
            id,
            session: self.model.id,
            number: lap.counted_from.map(|from| from.saturating_add(1)),
            tape_lap,
            stint,
            driver: lap.driver.clone(),
            start_ns: lap.start_ns,
            end_ns: end.end_ns,
            started_utc_us: lap.started_utc_us,
            time_ms: end.time.map(|(ms, _)| ms),
            time_source: end.time.map(|(_, source)| source),
            state: end.state,
            phase,
            complete: false,
            valid: valid.filter(|valid| !(*valid && unsure)),
            reasons: reasons(lap, phase, invalid, &finished, end),
            eligible: false,
            sectors: finished.sectors,
            fuel_used_l: lap.fuel_used_l(),
            conditions: lap.conditions.clone(),
            coverage: lap.way.coverage(),
            top_speed_kmh: lap.top_speed_kmh(),
            excluded: false,
        }
    }

    fn done(&self, lap: Lap, running: &RunningLap) -> Done {
        // A lap that did not begin at the line never covers all of the track.
        let from_line = matches!(lap.phase, Phase::Flying | Phase::In) && lap.state != LapState::Aborted;
        let little_driven = from_line && running.way.driven().is_some_and(|driven| driven < COVERAGE);
        Done { lap, driven_m: running.way.driven_m(), little_driven, barred: false, record: None }
    }

    /// Adds a lap that has reached the line. Returns its index among the laps of the session.
    pub(super) fn provisional(&mut self, shared: &mut Shared, closing: &Closing, out: &mut Vec<Event>) -> usize {
        let end = End {
            state: LapState::Provisional,
            end_ns: Some(closing.cross_ns),
            in_pits: closing.ended_in_pits,
            time: Self::time_of(closing, Time::Measured),
            measured_ms: closing.measured_ms,
            official: None,
        };
        let lap = self.model_of(&closing.lap, &end);
        shared.lap_end_ns = shared.lap_end_ns.max(closing.cross_ns);
        if !closing.lap.ended_before {
            self.count_for_stint(&lap, out);
        }
        out.push(Event::LapProvisional(lap.clone()));
        let done = self.done(lap, &closing.lap);
        self.laps.push(done);
        self.laps.len() - 1
    }

    /// Finishes a lap whose time is settled. `amends`: the lap was final already.
    pub(super) fn finish(&mut self, closing: Closing, time: Time, amends: bool, out: &mut Vec<Event>) {
        let Some(place) = closing.done else { return };
        let end = End {
            state: LapState::Final,
            end_ns: Some(closing.cross_ns),
            in_pits: closing.ended_in_pits,
            time: Self::time_of(&closing, time),
            measured_ms: closing.measured_ms,
            official: Some(matches!(time, Time::Official(_))),
        };
        let mut lap = self.model_of(&closing.lap, &end);
        if let Some(before) = self.laps.get(place) {
            lap.stint = before.lap.stint;
        }
        lap.complete = is_complete(&lap);
        let whole = lap.complete;
        let done = self.done(lap, &closing.lap);
        if let Some(room) = self.laps.get_mut(place) {
            let before = std::mem::replace(room, done);
            (room.barred, room.record) = (before.barred, before.record);
            keep_reasons(&before.lap, &mut room.lap);
            before.record.iter().for_each(|record| apply(record, &mut room.lap));
        }
        if whole && !closing.lap.has(ReasonCode::StreamGap) {
            self.learning.lap(self.laps.get(place).map(|done| &done.lap), closing.lap.way.driven_m());
        }
        let changed = judge_ways(&mut self.laps);
        for done in &mut self.laps {
            done.lap.eligible = is_eligible(done);
        }
        if let Some(done) = self.laps.get(place) {
            let lap = done.lap.clone();
            out.push(if amends || closing.lap.ended_before { Event::LapAmended(lap) } else { Event::LapFinal(lap) });
        }
        for other in changed.into_iter().filter(|other| *other != place) {
            out.extend(self.laps.get(other).map(|done| Event::LapAmended(done.lap.clone())));
        }
        self.look_for_bests(out);
        if time == Time::Measured && !amends {
            self.late = Some(Box::new(closing));
        }
    }

    /// Aborts a lap: it ends without a line crossing that counts.
    pub(super) fn abort(
        &mut self,
        shared: &mut Shared,
        mut lap: RunningLap,
        code: ReasonCode,
        end_ns: u64,
        now: &Moment,
        out: &mut Vec<Event>,
    ) {
        if lap.told.is_none() {
            self.tell(shared, &mut lap, now, out);
        }
        lap.reason(code, None);
        if let Some(reason) = lap.reasons.iter_mut().find(|reason| reason.code == code) {
            reason.at_ns = reason.at_ns.or(Some(end_ns));
        }
        let end_ns = end_ns.max(lap.start_ns);
        let end = End {
            state: LapState::Aborted,
            end_ns: Some(end_ns),
            in_pits: false,
            time: None,
            measured_ms: None,
            official: None,
        };
        let mut model = self.model_of(&lap, &end);
        shared.lap_end_ns = shared.lap_end_ns.max(end_ns);
        if model.sectors.iter().all(|sector| sector.time_ms.is_none()) {
            model.sectors.clear();
        }
        self.count_for_stint(&model, out);
        out.push(if lap.ended_before { Event::LapAmended(model.clone()) } else { Event::LapAborted(model.clone()) });
        let done = self.done(model, &lap);
        self.laps.push(done);
    }

    /// Adds a lap to its stint. If the stint is closed already, emits it again.
    fn count_for_stint(&mut self, lap: &Lap, out: &mut Vec<Event>) {
        let session = self.model.id;
        out.extend(self.stints.lap(lap.stint, lap.tape_lap).map(|stint| Event::StintClosed { session, stint }));
    }

    /// Adds a reason that counts against a finished lap.
    pub(super) fn push_reason(&mut self, place: usize, code: ReasonCode) {
        if let Some(done) = self.laps.get_mut(place)
            && !done.lap.has(code)
        {
            done.lap.reasons.push(plain(code, ReasonSource::Game));
        }
    }

    /// Emits a lap that changed after it was finished.
    pub(super) fn amended(&mut self, place: usize, out: &mut Vec<Event>) {
        let Some(done) = self.laps.get_mut(place) else { return };
        done.lap.eligible = is_eligible(done);
        if done.lap.state == LapState::Final {
            out.push(Event::LapAmended(done.lap.clone()));
        }
        self.look_for_bests(out);
    }
}

/// Carries over what was reported of a lap while it was provisional.
fn keep_reasons(before: &Lap, now: &mut Lap) {
    let stays =
        |reason: &&Reason| reason.source == ReasonSource::Broadcast || reason.code == ReasonCode::BestRemovedByPenalty;
    now.reasons.extend(before.reasons.iter().filter(stays).cloned());
    heed_second_source(now);
}

/// Returns a reason without a position.
pub(super) fn plain(code: ReasonCode, source: ReasonSource) -> Reason {
    Reason { code, source, at_sector: None, at_fraction: None, at_ns: None }
}

fn reasons(lap: &RunningLap, phase: Phase, invalid: Option<Reason>, finished: &Finished, end: &End) -> Vec<Reason> {
    let mut reasons = lap.reasons.clone();
    reasons.extend(invalid);
    let of_phase = match phase {
        Phase::Flying => None,
        Phase::Out => Some(ReasonCode::OutLap),
        Phase::In => Some(ReasonCode::InLap),
        Phase::Pit => Some(ReasonCode::PitLap),
        Phase::GridStart => Some(ReasonCode::GridStart),
        Phase::Formation => Some(ReasonCode::Formation),
    };
    let over = matches!(end.state, LapState::Provisional | LapState::Final);
    let caution = (lap.conditions.caution == Some(true)).then_some(ReasonCode::Caution);
    let no_time = (end.official == Some(false)).then_some(ReasonCode::NoOfficialTime);
    let missing = (over && finished.missing && end.time.is_some()).then_some(ReasonCode::SectorMissing);
    let mismatch = (over && finished.mismatch).then_some(ReasonCode::SectorSumMismatch);
    for code in [of_phase, caution, no_time, missing, mismatch].into_iter().flatten() {
        if !reasons.iter().any(|reason| reason.code == code) {
            reasons.push(plain(code, ReasonSource::Tool));
        }
    }
    reasons
}

/// Returns the source of a lap's sector times: the least certain one among the known sectors.
#[must_use]
pub fn sector_source(sectors: &[Sector]) -> SectorSource {
    sectors
        .iter()
        .filter(|sector| sector.time_ms.is_some())
        .map(|sector| sector.source)
        .max()
        .unwrap_or(SectorSource::None)
}
