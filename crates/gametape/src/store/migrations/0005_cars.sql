-- All cars of a session and their laps, for games that report more than the player's car. Who may see a driver is looked up when they are
-- read, so there is no column for it.

CREATE TABLE session_cars (
    session {bytes} NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    -- The game's number of the car.
    car BIGINT NOT NULL,
    is_player BIGINT NOT NULL,
    driver {text},
    team {text},
    car_model {text},
    class {text},
    race_number BIGINT,
    position BIGINT,
    result {text} NOT NULL,
    current_lap BIGINT,
    -- Number of the newest lap that the game has reported. NULL if it has reported none.
    newest_lap BIGINT,
    last_ms BIGINT,
    best_ms BIGINT,
    last_sectors {text} NOT NULL,
    gap_to_leader_ms BIGINT,
    gap_ahead_ms BIGINT,
    pit_stops BIGINT,
    tyre {text},
    PRIMARY KEY (session, car)
);

CREATE TABLE car_laps (
    session {bytes} NOT NULL,
    car BIGINT NOT NULL,
    number BIGINT NOT NULL,
    time_ms BIGINT,
    sectors {text} NOT NULL,
    valid BIGINT,
    valid_sectors {text} NOT NULL,
    PRIMARY KEY (session, car, number),
    FOREIGN KEY (session, car) REFERENCES session_cars (session, car) ON DELETE CASCADE
);
