//! What the objects of a replay are: their names, looked up once instead of at each of a hundred thousand updates.

use boxcars::{ObjectId, Replay};

/// What an actor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Ball,
    Car,
    Player,
    Team(i64),
    Boost,
    Other,
}

/// What an attribute says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attr {
    /// Position, rotation and velocities of a ball or a car.
    Body,
    /// The player of a car.
    PlayerOfCar,
    PlayerName,
    PlayerId,
    PlayerTeam,
    PlayerIsBot,
    /// A counter of a player, by its place in [`COUNTERS`].
    Counter(usize),
    PlayerScore,
    TeamScore,
    TeamName,
    /// The car of a boost.
    CarOfBoost,
    Boost,
    Throttle,
    Steer,
    Handbrake,
    Demolition,
    SecondsRemaining,
    Overtime,
    /// The state of the match, by a name of the replay.
    State,
    /// The team that won, by its actor.
    Winner,
    Other,
}

/// Counters of a player: their attribute, their name in the facts, and the event of an increment.
pub(super) const COUNTERS: [(&str, &str, Option<&str>); 4] = [
    ("TAGame.PRI_TA:MatchGoals", "goals", None),
    ("TAGame.PRI_TA:MatchAssists", "assists", Some("assist")),
    ("TAGame.PRI_TA:MatchSaves", "saves", Some("save")),
    ("TAGame.PRI_TA:MatchShots", "shots", Some("shot")),
];

fn kind_of(name: &str) -> Kind {
    match name {
        name if name.starts_with("Archetypes.Ball.") => Kind::Ball,
        name if name.starts_with("Archetypes.Car.") => Kind::Car,
        "TAGame.Default__PRI_TA" => Kind::Player,
        "Archetypes.Teams.Team0" => Kind::Team(0),
        "Archetypes.Teams.Team1" => Kind::Team(1),
        "Archetypes.CarComponents.CarComponent_Boost" => Kind::Boost,
        _ => Kind::Other,
    }
}

fn attr_of(name: &str) -> Attr {
    match name {
        "TAGame.RBActor_TA:ReplicatedRBState" => Attr::Body,
        "Engine.Pawn:PlayerReplicationInfo" => Attr::PlayerOfCar,
        "Engine.PlayerReplicationInfo:PlayerName" => Attr::PlayerName,
        "Engine.PlayerReplicationInfo:UniqueId" => Attr::PlayerId,
        "Engine.PlayerReplicationInfo:Team" => Attr::PlayerTeam,
        "Engine.PlayerReplicationInfo:bBot" => Attr::PlayerIsBot,
        "TAGame.PRI_TA:MatchScore" => Attr::PlayerScore,
        "Engine.TeamInfo:Score" => Attr::TeamScore,
        "TAGame.Team_TA:CustomTeamName" => Attr::TeamName,
        "TAGame.CarComponent_TA:Vehicle" => Attr::CarOfBoost,
        // A replay has one of the two, whatever its net version.
        "TAGame.CarComponent_Boost_TA:ReplicatedBoostAmount" | "TAGame.CarComponent_Boost_TA:ReplicatedBoost" => {
            Attr::Boost
        }
        "TAGame.Vehicle_TA:ReplicatedThrottle" => Attr::Throttle,
        "TAGame.Vehicle_TA:ReplicatedSteer" => Attr::Steer,
        "TAGame.Vehicle_TA:bReplicatedHandbrake" => Attr::Handbrake,
        "TAGame.Car_TA:ReplicatedDemolish"
        | "TAGame.Car_TA:ReplicatedDemolish_CustomFX"
        | "TAGame.Car_TA:ReplicatedDemolishExtended" => Attr::Demolition,
        "TAGame.GameEvent_Soccar_TA:SecondsRemaining" => Attr::SecondsRemaining,
        "TAGame.GameEvent_Soccar_TA:bOverTime" => Attr::Overtime,
        "TAGame.GameEvent_TA:ReplicatedStateName" => Attr::State,
        "TAGame.GameEvent_Soccar_TA:MatchWinner" => Attr::Winner,
        name => COUNTERS.iter().position(|(attribute, ..)| *attribute == name).map_or(Attr::Other, Attr::Counter),
    }
}

/// What each object of a replay is, as an actor and as an attribute.
#[derive(Debug)]
pub(super) struct Objects(Vec<(Kind, Attr)>);

impl Objects {
    pub(super) fn of(replay: &Replay) -> Self {
        Self(replay.objects.iter().map(|name| (kind_of(name), attr_of(name))).collect())
    }

    fn get(&self, object: ObjectId) -> Option<(Kind, Attr)> {
        self.0.get(usize::try_from(object.0).ok()?).copied()
    }

    pub(super) fn kind(&self, object: ObjectId) -> Kind {
        self.get(object).map_or(Kind::Other, |(kind, _)| kind)
    }

    pub(super) fn attr(&self, object: ObjectId) -> Attr {
        self.get(object).map_or(Attr::Other, |(_, attr)| attr)
    }
}
