//! Distributes live events. Each event has a sequence number, and the latest ones are kept, so that a client that reconnects receives
//! what it missed.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::extract::ws::Utf8Bytes;
use gametape::store::Audience;
use tokio::sync::watch;

/// The number of events kept for clients that reconnect.
const KEPT: usize = 10_000;

/// The kind of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A session began, or was joined.
    SessionOpened,
    /// More is known about a session.
    SessionChanged,
    /// A session ended.
    SessionClosed,
    /// A stint began or ended.
    Stint,
    /// A lap began.
    LapOpened,
    /// A sector of the running lap ended.
    SectorClosed,
    /// The line was crossed; the time is measured.
    LapProvisional,
    /// A lap is complete.
    LapFinal,
    /// A lap was aborted: it has no end, or none that counts.
    LapAborted,
    /// A completed lap has changed.
    LapAmended,
    /// Grip, rain, temperatures, tyres or flags have changed.
    ConditionsChanged,
    /// Positions, laps or gaps of cars have changed.
    Standings,
    /// A user edited a lap.
    LapEdited,
    /// A user edited a session.
    SessionEdited,
    /// The client requested events that are no longer kept: it should reload its data.
    Reset,
}

impl Kind {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::SessionOpened => "session_opened",
            Self::SessionChanged => "session_changed",
            Self::SessionClosed => "session_closed",
            Self::Stint => "stint",
            Self::LapOpened => "lap_opened",
            Self::SectorClosed => "sector_closed",
            Self::LapProvisional => "lap_provisional",
            Self::LapFinal => "lap_final",
            Self::LapAborted => "lap_aborted",
            Self::LapAmended => "lap_amended",
            Self::ConditionsChanged => "conditions_changed",
            Self::Standings => "standings",
            Self::LapEdited => "lap_edited",
            Self::SessionEdited => "session_edited",
            Self::Reset => "reset",
        }
    }
}

/// A live event.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) seq: u64,
    pub(super) kind: Kind,
    /// The whole message: `{"seq":…,"kind":…,"data":…}`.
    pub(super) text: Utf8Bytes,
}

/// Distributes events: all of them to the owner, and the public ones to everyone. Each of the two has its own sequence numbers
/// without gaps, so that public numbers do not reveal hidden events.
pub(crate) struct Hub {
    owner: History,
    public: History,
}

/// Offset of the public numbers. They are beyond those of the owner, so that a client that gains or loses its token and
/// reconnects with a number of the other kind is told to reload. In microseconds this is more than 30 years.
const PUBLIC_NUMBERS: u64 = 1 << 50;

impl Default for Hub {
    fn default() -> Self {
        // Numbers start at the current time, so that a server started later has higher ones, and those of an earlier run are
        // recognized as old.
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::starting_at(u64::try_from(now.as_micros()).unwrap_or_default())
    }
}

impl Hub {
    pub(super) fn starting_at(seq: u64) -> Self {
        Self { owner: History::starting_at(seq), public: History::starting_at(seq + PUBLIC_NUMBERS) }
    }

    fn history(&self, audience: Audience) -> &History {
        match audience {
            Audience::Owner => &self.owner,
            Audience::Public => &self.public,
        }
    }

    /// Publishes an event to the owner, and `public`, if any, to the public.
    pub(crate) fn publish(&self, kind: Kind, data: &serde_json::Value, public: Option<&serde_json::Value>) {
        self.owner.publish(kind, data);
        if let Some(public) = public {
            self.public.publish(kind, public);
        }
    }

    /// Drops the history of the public after a driver was hidden. Clients that request it are told to reload.
    pub(super) fn forget_public(&self) {
        self.public.forget();
    }

    /// Returns the number of the latest event.
    pub(super) fn newest(&self, audience: Audience) -> u64 {
        self.history(audience).state().last
    }

    /// Returns a receiver that is notified of new events.
    pub(super) fn listen(&self, audience: Audience) -> watch::Receiver<u64> {
        self.history(audience).newest.subscribe()
    }

    /// Returns up to `most` events after this number, and the number up to which they are complete. If some are no longer kept,
    /// the first event is a reset.
    pub(super) fn after(&self, seq: u64, audience: Audience, most: usize) -> (Vec<Event>, u64) {
        self.history(audience).after(seq, most)
    }
}

/// The latest events for one audience.
struct History {
    state: Mutex<State>,
    newest: watch::Sender<u64>,
}

struct State {
    kept: VecDeque<Event>,
    /// The number before the first event that is kept.
    before: u64,
    last: u64,
}

fn message(seq: u64, kind: Kind, data: &serde_json::Value) -> Utf8Bytes {
    serde_json::json!({ "seq": seq, "kind": kind.as_str(), "data": data }).to_string().into()
}

impl History {
    fn starting_at(seq: u64) -> Self {
        let state = State { kept: VecDeque::new(), before: seq, last: seq };
        Self { state: Mutex::new(state), newest: watch::Sender::new(seq) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn publish(&self, kind: Kind, data: &serde_json::Value) {
        let mut state = self.state();
        state.last += 1;
        let seq = state.last;
        state.kept.push_back(Event { seq, kind, text: message(seq, kind, data) });
        if state.kept.len() > KEPT
            && let Some(old) = state.kept.pop_front()
        {
            state.before = old.seq;
        }
        drop(state);
        self.newest.send_replace(seq);
    }

    fn forget(&self) {
        let mut state = self.state();
        state.kept.clear();
        state.before = state.last;
    }

    fn after(&self, seq: u64, most: usize) -> (Vec<Event>, u64) {
        let state = self.state();
        if seq < state.before || seq > state.last {
            let data = serde_json::json!({ "from": state.last });
            let text = message(state.last, Kind::Reset, &data);
            return (vec![Event { seq: state.last, kind: Kind::Reset, text }], state.last);
        }
        // Numbers have no gaps.
        let skip = usize::try_from(seq - state.before).unwrap_or(usize::MAX);
        let news: Vec<_> = state.kept.iter().skip(skip).take(most).cloned().collect();
        let until = news.last().map_or(seq, |event| event.seq);
        (news, until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seqs(found: &(Vec<Event>, u64)) -> (Vec<u64>, u64) {
        (found.0.iter().map(|event| event.seq).collect(), found.1)
    }

    #[test]
    fn a_reconnecting_client_receives_what_it_missed() {
        let hub = Hub::starting_at(100);
        for event in 0..5 {
            let data = serde_json::json!({});
            hub.publish(Kind::LapEdited, &data, (event != 1).then_some(&data));
        }
        assert_eq!(seqs(&hub.after(102, Audience::Owner, 10)), (vec![103, 104, 105], 105));
        assert_eq!(seqs(&hub.after(100, Audience::Owner, 2)), (vec![101, 102], 102));
        // Public numbers do not reveal that there was a hidden event.
        let public = 100 + PUBLIC_NUMBERS;
        assert_eq!(hub.newest(Audience::Public), public + 4);
        let all: Vec<_> = (public + 1..=public + 4).collect();
        assert_eq!(seqs(&hub.after(public, Audience::Public, 10)), (all, public + 4));
        assert_eq!(seqs(&hub.after(105, Audience::Owner, 10)), (vec![], 105));
        assert!(hub.after(104, Audience::Owner, 1).0[0].text.contains("\"seq\":105"));
        hub.forget_public();
        for (seq, audience) in [(public, Audience::Public), (103, Audience::Public), (public + 2, Audience::Owner)] {
            assert_eq!(hub.after(seq, audience, 10).0[0].kind, Kind::Reset, "{seq} {audience:?}");
        }
        assert_eq!(seqs(&hub.after(public + 4, Audience::Public, 10)), (vec![], public + 4));
        assert_eq!(hub.after(100, Audience::Owner, 10).0.len(), 5);
    }

    #[test]
    fn a_client_that_missed_too_much_gets_a_reset() {
        let hub = Hub::starting_at(0);
        for _ in 0..KEPT + 3 {
            hub.publish(Kind::LapEdited, &serde_json::json!({}), None);
        }
        let last = KEPT as u64 + 3;
        for gone in [0, 2, last + 1] {
            let (events, until) = hub.after(gone, Audience::Owner, 5);
            assert_eq!((events[0].kind, events.len(), until), (Kind::Reset, 1, last), "{gone}");
        }
        assert_eq!(hub.after(3, Audience::Owner, KEPT).0.len(), KEPT);
    }
}
