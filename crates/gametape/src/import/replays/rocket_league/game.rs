//! The network frames of a match: follows its actors frame by frame, and gives streams, events, players and scores.
//!
//! The rules of the stream: within a frame, actors are deleted, then made, then updated. Values are sent when they change, and all of them
//! again at each key frame, where every living actor is announced again with the same id. So state is kept, and events come from
//! changes of values only. Ids are used again for other objects. A car is destroyed after each goal and demolition and another is made, so
//! it is identified by its player; a position may arrive before it is known whose it is.

use std::collections::{BTreeMap, BTreeSet};

use boxcars::{ActorId, Attribute, Frame, NetworkFrames, ObjectId, Replay};
use gametape_format::ChannelType::F32;

use super::body::{BALL, Scales, UNKNOWN, VALUES};
use super::objects::{Attr, COUNTERS, Kind, Objects};
use super::people::Person;
use crate::import::replays::Reading;
use crate::import::replays::decoded::{Decoded, Field};

/// Maximum number of balls at once, and of players of a match, with those who came and left.
const MAX_BALLS: usize = 16;
const MAX_PEOPLE: usize = 64;
/// Maximum number of actors that are followed at once. A match has fewer than 50.
const MAX_ACTORS: usize = 1024;
/// Maximum bytes of all rows together: an hour of a match has 25 MB.
const MAX_ROW_BYTES: usize = 48 << 20;

const MATCH: &[Field] =
    &[("seconds_remaining", F32, "s"), ("overtime", F32, ""), ("score_0", F32, ""), ("score_1", F32, "")];

/// The fields of a ball, and those of a car after them.
const CAR: &[Field] = &[
    BALL[0],
    BALL[1],
    BALL[2],
    BALL[3],
    BALL[4],
    BALL[5],
    BALL[6],
    BALL[7],
    BALL[8],
    BALL[9],
    BALL[10],
    BALL[11],
    BALL[12],
    BALL[13],
    BALL[14],
    ("boost", F32, "%"),
    ("throttle", F32, ""),
    ("steer", F32, ""),
    ("handbrake", F32, ""),
];

/// What was found in the network frames, besides streams and events.
#[derive(Debug, Default)]
pub(super) struct Played {
    pub(super) people: Vec<Person>,
    /// The last score of each team.
    pub(super) scores: [Option<i64>; 2],
    /// The first score of each team, if it had one when the recording began.
    pub(super) first_scores: [Option<i64>; 2],
    pub(super) team_names: [Option<String>; 2],
    /// Number of the team that won.
    pub(super) winner: Option<i64>,
    /// Whether the match was over, by the game's own state, when the recording ended.
    pub(super) finished: bool,
    /// Whether the clock stood at 0, or overtime was played.
    pub(super) ran_out: bool,
    /// Frame and team of each goal.
    pub(super) scored: Vec<(u32, i64)>,
}

/// State of an actor.
#[derive(Debug, Clone)]
enum Actor {
    Ball { slot: usize, body: [f32; VALUES] },
    Car(Box<Car>),
    Player(Player),
    Team(i64),
    Boost { car: Option<ActorId>, percent: f32 },
    Other,
}

#[derive(Debug, Clone)]
struct Car {
    player: Option<ActorId>,
    body: [f32; VALUES],
    boost: f32,
    throttle: f32,
    steer: f32,
    handbrake: f32,
    /// Attacker and victim of the last demolition.
    demolition: Option<(ActorId, ActorId)>,
}

#[derive(Debug, Clone, Default)]
struct Player {
    name: Option<String>,
    account: Option<String>,
    team: Option<i64>,
    is_bot: Option<bool>,
    score: Option<i64>,
    counters: [Option<i64>; COUNTERS.len()],
    person: Option<usize>,
}

/// Plays the frames.
pub(super) struct Game<'a> {
    objects: Objects,
    names: &'a [String],
    scales: Scales,
    actors: BTreeMap<i32, (ObjectId, Actor)>,
    /// Actors that were made in this frame: what they say is their state, not a change.
    made: BTreeSet<i32>,
    /// Balls and cars that changed in this frame.
    changed: BTreeSet<i32>,
    /// Players that changed in this frame.
    told: BTreeSet<i32>,
    /// Number of balls in each slot.
    slots: [u32; MAX_BALLS + 1],
    /// Bytes of rows that may still be added.
    room: usize,
    balls: Vec<Decoded>,
    cars: BTreeMap<usize, Decoded>,
    clock: Decoded,
    seconds_remaining: f32,
    overtime: f32,
    /// Pairs of this frame: the attacker and the victim may both report a demolition.
    demolished: Vec<(ActorId, ActorId)>,
    played: Played,
    full: bool,
    frame: u32,
    time_ns: u64,
    reading: &'a mut Reading,
}

impl<'a> Game<'a> {
    /// Plays all network frames, if there are any.
    pub(super) fn play(replay: &'a Replay, times_ns: &[u64], reading: &'a mut Reading) -> Played {
        let mut game = Self {
            objects: Objects::of(replay),
            names: &replay.names,
            scales: Scales::of(replay.net_version),
            actors: BTreeMap::new(),
            made: BTreeSet::new(),
            changed: BTreeSet::new(),
            told: BTreeSet::new(),
            slots: [0; MAX_BALLS + 1],
            room: MAX_ROW_BYTES,
            balls: Vec::new(),
            cars: BTreeMap::new(),
            clock: Decoded::new("match", "rocket-league-match", MATCH),
            seconds_remaining: f32::NAN,
            overtime: f32::NAN,
            demolished: Vec::new(),
            played: Played::default(),
            full: false,
            frame: 0,
            time_ns: 0,
            reading,
        };
        let frames = replay.network_frames.iter().flat_map(|NetworkFrames { frames }| frames);
        for ((number, frame), time_ns) in (0u32..).zip(frames).zip(times_ns) {
            (game.frame, game.time_ns) = (number, *time_ns);
            game.frame(frame);
        }
        game.finish()
    }

    fn finish(self) -> Played {
        let Self { balls, cars, clock, mut played, full, reading, seconds_remaining, overtime, .. } = self;
        // In the order in which the players appeared.
        for (number, (person, mut stream)) in (1..).zip(cars) {
            let name = format!("car-{number}");
            stream.rename(&name);
            if let Some(person) = played.people.get_mut(person) {
                person.stream = Some(name);
            }
            reading.decoded.push(stream);
        }
        played.ran_out = seconds_remaining == 0.0 || overtime == 1.0;
        reading.decoded.extend(balls);
        reading.decoded.push(clock);
        if full {
            reading.problems.add("the match has more balls, players or rows than are decoded: the others are left out");
        }
        played
    }

    fn frame(&mut self, frame: &Frame) {
        self.made.clear();
        self.demolished.clear();
        for actor in &frame.deleted_actors {
            self.delete(*actor);
        }
        for new in &frame.new_actors {
            // An announcement at a key frame: the actor is known.
            let known = self.actors.get(&new.actor_id.0).is_some_and(|(object, _)| *object == new.object_id);
            if known {
                continue;
            }
            self.delete(new.actor_id);
            match self.objects.kind(new.object_id) {
                Kind::Other => {}
                _ if self.actors.len() >= MAX_ACTORS => self.full = true,
                kind => {
                    let actor = self.make(kind);
                    self.actors.insert(new.actor_id.0, (new.object_id, actor));
                }
            }
            self.made.insert(new.actor_id.0);
        }
        for update in &frame.updated_actors {
            self.update(update.actor_id, self.objects.attr(update.object_id), &update.attribute);
        }
        self.identify_all();
        self.write_bodies();
        self.write_clock();
    }

    fn make(&mut self, kind: Kind) -> Actor {
        match kind {
            Kind::Ball => {
                let slot = self.slots.iter().position(|balls| *balls == 0).unwrap_or(MAX_BALLS);
                if let Some(balls) = self.slots.get_mut(slot) {
                    *balls += 1;
                }
                Actor::Ball { slot, body: UNKNOWN }
            }
            Kind::Car => Actor::Car(Box::new(Car {
                player: None,
                body: UNKNOWN,
                boost: f32::NAN,
                throttle: f32::NAN,
                steer: f32::NAN,
                handbrake: f32::NAN,
                demolition: None,
            })),
            Kind::Player => Actor::Player(Player::default()),
            Kind::Team(number) => Actor::Team(number),
            Kind::Boost => Actor::Boost { car: None, percent: f32::NAN },
            Kind::Other => Actor::Other,
        }
    }

    /// Removes an actor. Its stream says that it is not there.
    fn delete(&mut self, id: ActorId) {
        self.changed.remove(&id.0);
        match self.actors.remove(&id.0) {
            Some((_, Actor::Ball { slot, .. })) => {
                if let Some(balls) = self.slots.get_mut(slot) {
                    *balls = balls.saturating_sub(1);
                }
                self.push_ball(slot, &UNKNOWN, 0.0);
            }
            Some((_, Actor::Car(car))) => {
                if let Some(person) = self.person_of(car.player) {
                    let gone = Car { body: UNKNOWN, boost: f32::NAN, throttle: f32::NAN, steer: f32::NAN, ..*car };
                    self.push_car(person, &Car { handbrake: f32::NAN, ..gone }, 0.0);
                }
            }
            _ => {}
        }
    }

    fn update(&mut self, id: ActorId, attr: Attr, value: &Attribute) {
        if attr == Attr::Other {
            return;
        }
        match (attr, value) {
            (Attr::SecondsRemaining, Attribute::Int(seconds)) => self.seconds_remaining = *seconds as f32,
            (Attr::Overtime, Attribute::Boolean(yes)) => {
                // At the first frame it is the state in which the recording began.
                if *yes && self.overtime != 1.0 && self.frame > 0 {
                    self.reading.event(self.time_ns, "overtime", "");
                }
                self.overtime = f32::from(u8::from(*yes));
            }
            (Attr::State, Attribute::Int(name)) => {
                let name = usize::try_from(*name).ok().and_then(|name| self.names.get(name));
                self.played.finished = name.is_some_and(|name| name == "Finished");
            }
            (Attr::Winner, Attribute::ActiveActor(team)) => {
                self.played.winner = self.team_of(team.actor).or(self.played.winner);
            }
            (Attr::PlayerTeam, Attribute::ActiveActor(team)) => {
                let number = self.team_of(team.actor);
                if let Some((_, Actor::Player(player))) = self.actors.get_mut(&id.0) {
                    player.team = number.or(player.team);
                    self.told.insert(id.0);
                }
            }
            _ => self.update_actor(id, attr, value),
        }
    }

    fn update_actor(&mut self, id: ActorId, attr: Attr, value: &Attribute) {
        let was_made = self.made.contains(&id.0);
        let Some((_, actor)) = self.actors.get_mut(&id.0) else { return };
        match (actor, attr, value) {
            (Actor::Ball { body, .. }, Attr::Body, Attribute::RigidBody(state)) => {
                *body = self.scales.values(state);
                self.changed.insert(id.0);
            }
            (Actor::Car(car), _, _) => {
                if let Some(pair) = update_car(car, attr, value, self.scales)
                    && !self.demolished.contains(&pair)
                {
                    self.demolished.push(pair);
                    if !was_made {
                        self.demolish(pair);
                    }
                }
                self.changed.insert(id.0);
            }
            (Actor::Player(player), _, _) => {
                self.told.insert(id.0);
                let person = player.person;
                if let Some(event) = update_player(player, attr, value)
                    && !was_made
                    && let Some(person) = person.and_then(|person| self.played.people.get(person))
                {
                    self.reading.event(self.time_ns, event, person.label());
                }
            }
            (Actor::Team(team), Attr::TeamScore, Attribute::Int(score)) => {
                let team = *team;
                self.team_scores(team, i64::from(*score), was_made);
            }
            (Actor::Team(team), Attr::TeamName, Attribute::String(name)) => {
                let name = Some(name.clone()).filter(|name| !name.is_empty());
                if let Some(known) = usize::try_from(*team).ok().and_then(|team| self.played.team_names.get_mut(team)) {
                    *known = name;
                }
            }
            (Actor::Boost { car, .. }, Attr::CarOfBoost, Attribute::ActiveActor(vehicle)) => {
                *car = Some(vehicle.actor).filter(|actor| actor.0 >= 0);
                self.fill_up(id);
            }
            (Actor::Boost { percent, .. }, Attr::Boost, value) => {
                let amount = match value {
                    Attribute::Byte(amount) => Some(*amount),
                    Attribute::ReplicatedBoost(boost) => Some(boost.boost_amount),
                    _ => None,
                };
                *percent = amount.map_or(*percent, |amount| f32::from(amount) / 255.0 * 100.0);
                self.fill_up(id);
            }
            _ => {}
        }
    }

    /// Passes the amount of a boost on to its car.
    fn fill_up(&mut self, boost: ActorId) {
        let Some((_, Actor::Boost { car: Some(car), percent })) = self.actors.get(&boost.0) else { return };
        let (car, percent) = (*car, *percent);
        if let Some((_, Actor::Car(state))) = self.actors.get_mut(&car.0) {
            state.boost = percent;
            self.changed.insert(car.0);
        }
    }

    /// Takes the score of a team. An increment is a goal.
    fn team_scores(&mut self, team: i64, score: i64, was_made: bool) {
        let Some(place) = usize::try_from(team).ok().filter(|place| *place < 2) else { return };
        let known = self.played.scores.get_mut(place).and_then(|known| known.replace(score));
        match (known, was_made) {
            (None, true) => {
                if let Some(first) = self.played.first_scores.get_mut(place) {
                    *first = Some(score);
                }
            }
            // A score of 0 is not sent.
            (known, _) if score > known.unwrap_or_default() && self.played.scored.len() < 1000 => {
                self.played.scored.push((self.frame, team));
            }
            _ => {}
        }
    }

    fn demolish(&mut self, (attacker, victim): (ActorId, ActorId)) {
        let name = |id: ActorId| {
            let player = match self.actors.get(&id.0) {
                Some((_, Actor::Car(car))) => self.person_of(car.player),
                Some((_, Actor::Player(player))) => player.person,
                _ => None,
            };
            player.and_then(|person| self.played.people.get(person)).map(Person::label)
        };
        let text = match (name(attacker), name(victim)) {
            (Some(attacker), Some(victim)) => format!("{victim}; by {attacker}"),
            (None, Some(victim)) => victim,
            (Some(attacker), None) => format!("by {attacker}"),
            (None, None) => String::new(),
        };
        self.reading.event(self.time_ns, "demolition", text);
    }

    fn team_of(&self, id: ActorId) -> Option<i64> {
        if let Some((_, Actor::Team(number))) = self.actors.get(&id.0) { Some(*number) } else { None }
    }

    fn person_of(&self, player: Option<ActorId>) -> Option<usize> {
        if let Some((_, Actor::Player(player))) = self.actors.get(&player?.0) { player.person } else { None }
    }

    /// Finds the persons of the players that changed in this frame.
    fn identify_all(&mut self) {
        for id in std::mem::take(&mut self.told) {
            let Some((_, Actor::Player(player))) = self.actors.get_mut(&id) else { continue };
            let was_known = player.person.is_some();
            self.full |= !identify(player, &mut self.played.people);
            if !was_known && player.person.is_some() {
                // Cars that were there before their player was known.
                let cars = self
                    .actors
                    .iter()
                    .filter(|(_, (_, actor))| matches!(actor, Actor::Car(car) if car.player == Some(ActorId(id))));
                self.changed.extend(cars.map(|(car, _)| *car));
            }
        }
    }

    /// Writes a row for each ball and car that changed. A car has none until its player is known.
    fn write_bodies(&mut self) {
        for id in std::mem::take(&mut self.changed) {
            match self.actors.get(&id) {
                Some((_, Actor::Ball { slot, body })) => {
                    let (slot, body) = (*slot, *body);
                    self.push_ball(slot, &body, 1.0);
                }
                Some((_, Actor::Car(car))) => {
                    if let Some(person) = self.person_of(car.player) {
                        let car = car.clone();
                        self.push_car(person, &car, 1.0);
                    }
                }
                _ => {}
            }
        }
    }

    /// Takes room for a row. Returns whether there was any.
    fn has_room(&mut self, row: &[u8]) -> bool {
        let left = self.room.checked_sub(row.len());
        self.full |= left.is_none();
        self.room = left.unwrap_or_default();
        left.is_some()
    }

    fn push_ball(&mut self, slot: usize, body: &[f32; VALUES], present: f32) {
        while self.balls.len() <= slot && slot < MAX_BALLS {
            let number = self.balls.len() + 1;
            let name = if number == 1 { "ball".to_owned() } else { format!("ball-{number}") };
            self.balls.push(Decoded::new(name, "rocket-league-ball", BALL));
        }
        let row = bytes_of(body.iter().copied().chain([present]));
        if !self.has_room(&row) {
            return;
        }
        let time_ns = self.time_ns;
        self.full |= !self.balls.get_mut(slot).is_some_and(|ball| ball.push_changed(time_ns, &row));
    }

    fn push_car(&mut self, person: usize, car: &Car, present: f32) {
        let inputs = [present, car.boost, car.throttle, car.steer, car.handbrake];
        let row = bytes_of(car.body.iter().copied().chain(inputs));
        if !self.has_room(&row) {
            return;
        }
        let new = || Decoded::new("car", "rocket-league-car", CAR);
        self.full |= !self.cars.entry(person).or_insert_with(new).push_changed(self.time_ns, &row);
    }

    fn write_clock(&mut self) {
        let [zero, one] = self.played.scores.map(|score| score.map_or(f32::NAN, |score| score as f32));
        let row = [self.seconds_remaining, self.overtime, zero, one];
        if row.iter().any(|value| !value.is_nan()) {
            self.full |= !self.clock.push_changed(self.time_ns, &bytes_of(row.into_iter()));
        }
    }
}

fn bytes_of(values: impl Iterator<Item = f32>) -> Vec<u8> {
    values.flat_map(f32::to_le_bytes).collect()
}

/// A byte around 128 as a number from -1 to 1.
fn centred(byte: u8) -> f32 {
    ((f32::from(byte) - 128.0) / 127.0).max(-1.0)
}

/// Takes a value of a car. Returns attacker and victim of a demolition that was not known.
fn update_car(car: &mut Car, attr: Attr, value: &Attribute, scales: Scales) -> Option<(ActorId, ActorId)> {
    match (attr, value) {
        (Attr::Body, Attribute::RigidBody(state)) => car.body = scales.values(state),
        // After a demolition it points to nobody.
        (Attr::PlayerOfCar, Attribute::ActiveActor(player)) if player.actor.0 >= 0 => car.player = Some(player.actor),
        (Attr::Throttle, Attribute::Byte(byte)) => car.throttle = centred(*byte),
        (Attr::Steer, Attribute::Byte(byte)) => car.steer = centred(*byte),
        (Attr::Handbrake, Attribute::Boolean(on)) => car.handbrake = f32::from(u8::from(*on)),
        (Attr::Demolition, value) => {
            let pair = match value {
                Attribute::Demolish(demolish) => (demolish.attacker, demolish.victim),
                Attribute::DemolishFx(demolish) => (demolish.attacker, demolish.victim),
                Attribute::DemolishExtended(demolish) => (demolish.attacker.actor, demolish.victim.actor),
                _ => return None,
            };
            let new = car.demolition.replace(pair) != Some(pair);
            return (new && pair.1.0 >= 0).then_some(pair);
        }
        _ => {}
    }
    None
}

/// Takes a value of a player. Returns the kind of the event if a counter has grown.
fn update_player(player: &mut Player, attr: Attr, value: &Attribute) -> Option<&'static str> {
    match (attr, value) {
        (Attr::PlayerName, Attribute::String(name)) => player.name = Some(name.clone()),
        (Attr::PlayerId, Attribute::UniqueId(id)) => {
            // Bots have no account.
            player.account = (id.system_id != 0).then(|| format!("{:?} {}", id.remote_id, id.local_id));
        }
        (Attr::PlayerIsBot, Attribute::Boolean(yes)) => player.is_bot = Some(*yes),
        (Attr::PlayerScore, Attribute::Int(score)) => player.score = Some(i64::from(*score)),
        (Attr::Counter(place), Attribute::Int(count)) => {
            let count = i64::from(*count);
            let known = player.counters.get_mut(place).and_then(|known| known.replace(count));
            let (_, _, event) = COUNTERS.get(place)?;
            return event.filter(|_| count > known.unwrap_or_default());
        }
        _ => {}
    }
    None
}

/// Finds the person of a player actor, and passes on what it says: one who comes back has another actor. Returns whether there was room.
fn identify(player: &mut Player, people: &mut Vec<Person>) -> bool {
    let Some(name) = player.name.as_ref().filter(|name| !name.is_empty()) else { return true };
    if player.person.is_none() {
        let same = |person: &Person| person.name == *name && person.account == player.account;
        player.person = people.iter().position(same);
        if player.person.is_none() && people.len() < MAX_PEOPLE {
            let (name, account) = (name.clone(), player.account.clone());
            player.person = Some(people.len());
            people.push(Person { name, account, ..Person::default() });
        }
    }
    let Some(person) = player.person.and_then(|person| people.get_mut(person)) else { return false };
    person.team = player.team.or(person.team);
    person.is_bot = player.is_bot.or(person.is_bot);
    person.score = player.score.or(person.score);
    for (known, count) in person.counters.iter_mut().zip(player.counters) {
        *known = count.or(*known);
    }
    true
}
