//! The event loop: takes news, keys and clock ticks, draws the screen.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use crossterm::event::{Event, read};
use gametape::sys::Prefix;

use super::deck::Deck;
use super::fault;
use super::keys::{Act, press};
use super::look::Look;
use super::mouse::{ClickAreas, mouse};
use super::screens::draw;
use super::source::{Inbox, Source, Target};
use super::state::State;
use super::terminal::{Taken, check, panicked};
use crate::cli::take_held;
use crate::exit::Outcome;
use crate::human;
use crate::stop::Stop;

/// How often the inbox is polled.
const TICK: Duration = Duration::from_millis(50);
/// How often figures that show an age are redrawn.
const REDRAW: Duration = Duration::from_millis(500);
/// The largest number of events handled between two frames.
const MOST_EVENTS: usize = 64;

/// The command-line options.
pub(crate) struct Options {
    pub(crate) target: Target,
    pub(crate) mouse: bool,
    /// Prefix of the shared-memory names for playback.
    pub(crate) names: Prefix,
}

/// Runs until the user quits.
pub(crate) fn run(options: Options) -> anyhow::Result<Outcome> {
    check()?;
    let stop = Stop::listen_also_to_hang_up()?;
    let inbox = Arc::new(Inbox::default());
    let store = if let Target::Store(name) = &options.target { Some(name.clone()) } else { None };
    // Dropped in reverse order: the terminal is restored first, then the player stops, then the source.
    let source = Source::start(options.target, Arc::clone(&inbox))?;
    let mut deck = Deck::new(options.names, store);
    let mut taken = Taken::take(options.mouse)?;
    let events = listen()?;
    let mut state = State::new(Look::of_environment());
    let mut areas = ClickAreas::default();
    let (mut drawn, mut dirty) = (Instant::now(), true);
    loop {
        let now = Instant::now();
        if panicked() {
            anyhow::bail!("a thread panicked (see above), which is a bug; please report it");
        }
        if stop.wanted() {
            return Ok(if stop.interrupted() { Outcome::Interrupted } else { Outcome::Done });
        }
        dirty |= state.hear(inbox.take());
        if let Some(line) = take_held() {
            state.say(human::safe(&line));
            dirty = true;
        }
        let view = deck.view();
        if view != state.deck {
            (state.deck, dirty) = (view, true);
        }
        for ask in state.wants(now) {
            source.ask(ask);
        }
        if dirty || drawn.elapsed() >= REDRAW {
            taken.draw(|area, buffer| areas = draw(&mut state, now, area, buffer))?;
            (drawn, dirty) = (Instant::now(), false);
        }
        for _ in 0..MOST_EVENTS {
            let wait = if dirty { Duration::ZERO } else { TICK };
            let event = match events.recv_timeout(wait) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => break,
                // The terminal is gone.
                Err(RecvTimeoutError::Disconnected) => return Ok(Outcome::Done),
            };
            dirty = true;
            if let Event::Key(key) = &event {
                fault::at_key(key);
            }
            match event {
                Event::Key(key) => match press(&mut state, key) {
                    Some(Act::Quit { interrupted: true }) => return Ok(Outcome::Interrupted),
                    Some(Act::Quit { interrupted: false }) => return Ok(Outcome::Done),
                    Some(Act::ToggleMouse) => {
                        let on = taken.toggle_mouse()?;
                        state.say(if on { "mouse on: click and scroll; m turns it off" } else { "mouse off" });
                    }
                    Some(Act::Redraw) => taken.draw_anew()?,
                    Some(Act::Deck(key)) => {
                        let picked = state.picked_tape().cloned();
                        if let Some(text) = deck.press(&key, picked.as_ref()) {
                            state.say(text);
                        }
                    }
                    None => {}
                },
                Event::Mouse(event) => drop(mouse(&mut state, event, &areas)),
                _ => {}
            }
        }
    }
}

/// Reads terminal events on a separate thread: if the terminal goes away, a read may never return, and quitting must not wait for it.
fn listen() -> io::Result<Receiver<Event>> {
    let (heard, events) = sync_channel(MOST_EVENTS);
    std::thread::Builder::new().name("gametape-top-keys".into()).spawn(move || {
        while let Ok(event) = read() {
            if heard.send(event).is_err() {
                return;
            }
        }
    })?;
    Ok(events)
}
