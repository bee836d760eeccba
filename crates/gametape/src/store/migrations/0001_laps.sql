-- Sessions, stints and laps, what users changed about them, and the catalogue of tapes.
-- `{bytes}` and `{text}` are explained in dialect.rs. Times end in _ns (since the beginning of the tape) or _us (UTC, microseconds since
-- 1970). Yes and no are 1 and 0. What is not known is NULL.

-- Which tracker has looked at a tape.
CREATE TABLE tracked (
    tape {bytes} PRIMARY KEY,
    tracker {text} NOT NULL,
    tracker_version BIGINT NOT NULL
);

CREATE TABLE sessions (
    id {bytes} PRIMARY KEY,
    tape {bytes} NOT NULL,
    game {text} NOT NULL,
    game_version {text},
    kind {text} NOT NULL,
    number BIGINT,
    track {text},
    layout {text},
    car {text},
    driver {text},
    online BIGINT,
    start_ns BIGINT NOT NULL,
    end_ns BIGINT,
    started_us BIGINT,
    ended_us BIGINT,
    end_reason {text},
    sector_count BIGINT,
    remark {text},
    -- What users said.
    name {text},
    note {text},
    tags {text} NOT NULL,
    deleted_us BIGINT,
    -- Kept beside it so that lists need not look at laps: made from them at every change. Those that begin with shown_ leave out the laps
    -- of drivers who are hidden more than the session.
    sort_us BIGINT NOT NULL,
    visibility BIGINT NOT NULL,
    lap_count BIGINT NOT NULL,
    best_lap {bytes},
    best_ms BIGINT,
    theoretical_ms BIGINT,
    shown_lap_count BIGINT NOT NULL,
    shown_best_lap {bytes},
    shown_best_ms BIGINT,
    shown_theoretical_ms BIGINT
);
CREATE INDEX sessions_newest ON sessions (sort_us DESC, id DESC) WHERE deleted_us IS NULL;
CREATE INDEX sessions_tape ON sessions (tape);
CREATE INDEX sessions_driver ON sessions (driver);

CREATE TABLE stints (
    session {bytes} NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    n BIGINT NOT NULL,
    start_reason {text} NOT NULL,
    end_reason {text},
    start_ns BIGINT NOT NULL,
    end_ns BIGINT,
    first_lap BIGINT,
    last_lap BIGINT,
    driver {text},
    fuel_start_l DOUBLE PRECISION,
    fuel_end_l DOUBLE PRECISION,
    tyre_set BIGINT,
    PRIMARY KEY (session, n)
);

-- What bests are kept apart by. The id is made from the rest.
CREATE TABLE combinations (
    id BIGINT PRIMARY KEY,
    game {text} NOT NULL,
    track {text},
    layout {text},
    car {text},
    driver {text}
);

CREATE TABLE laps (
    id {bytes} PRIMARY KEY,
    session {bytes} NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    tape {bytes} NOT NULL,
    combination BIGINT NOT NULL REFERENCES combinations (id),
    number BIGINT,
    tape_lap BIGINT NOT NULL,
    stint BIGINT,
    driver {text},
    start_ns BIGINT NOT NULL,
    end_ns BIGINT,
    started_us BIGINT,
    time_ms BIGINT,
    time_source {text},
    state {text} NOT NULL,
    phase {text} NOT NULL,
    complete BIGINT NOT NULL,
    valid BIGINT,
    reasons {text} NOT NULL,
    eligible BIGINT NOT NULL,
    sectors {text} NOT NULL,
    fuel_used_l DOUBLE PRECISION,
    conditions {text} NOT NULL,
    coverage DOUBLE PRECISION,
    top_speed_kmh DOUBLE PRECISION,
    -- What users said.
    excluded BIGINT NOT NULL,
    name {text},
    note {text},
    tags {text} NOT NULL,
    deleted_us BIGINT,
    -- Made from the rest: gone = it or its session was deleted; counts = it may be a best.
    sort_us BIGINT NOT NULL,
    visibility BIGINT NOT NULL,
    gone BIGINT NOT NULL,
    counts BIGINT NOT NULL
);
CREATE INDEX laps_session ON laps (session, tape_lap);
CREATE INDEX laps_tape ON laps (tape);
CREATE INDEX laps_newest ON laps (sort_us DESC, id DESC) WHERE gone = 0;
CREATE INDEX laps_time ON laps (time_ms, id) WHERE gone = 0 AND time_ms IS NOT NULL;
CREATE INDEX laps_combination ON laps (combination, sort_us DESC, id DESC) WHERE gone = 0;
CREATE INDEX laps_best ON laps (combination, time_ms, sort_us, id) WHERE counts = 1;

-- What users changed, with the stretch of tape that it is about: a newer tracker may cut that tape into other laps.
CREATE TABLE edits (
    id {bytes} PRIMARY KEY,
    kind {text} NOT NULL,
    tape {bytes} NOT NULL,
    start_ns BIGINT NOT NULL,
    end_ns BIGINT,
    -- The lap or the session that shows it now; NULL if there is none.
    attached {bytes},
    excluded BIGINT NOT NULL,
    name {text},
    note {text},
    tags {text} NOT NULL,
    deleted_us BIGINT,
    changed_us BIGINT NOT NULL
);
CREATE INDEX edits_tape ON edits (tape);
CREATE INDEX edits_attached ON edits (attached);

-- What users said about drivers. Who is not here is public.
CREATE TABLE drivers (
    driver {text} PRIMARY KEY,
    name {text},
    visibility BIGINT NOT NULL,
    changed_us BIGINT NOT NULL
);

-- Names that users gave to cars and tracks.
CREATE TABLE names (
    kind {text} NOT NULL,
    game {text} NOT NULL,
    native {text} NOT NULL,
    name {text} NOT NULL,
    changed_us BIGINT NOT NULL,
    PRIMARY KEY (kind, game, native)
);

CREATE TABLE tapes (
    id {bytes} PRIMARY KEY,
    -- The machine on which the path means something.
    place {text} NOT NULL,
    path {text} NOT NULL,
    bytes BIGINT NOT NULL,
    modified_us BIGINT NOT NULL,
    checksum {text},
    complete BIGINT NOT NULL,
    game {text},
    track {text},
    car {text},
    created_us BIGINT,
    duration_ns BIGINT,
    frames BIGINT NOT NULL,
    replay_of {text},
    seen_us BIGINT NOT NULL,
    missing_us BIGINT
);
CREATE INDEX tapes_newest ON tapes (created_us DESC, id DESC);
CREATE INDEX tapes_path ON tapes (place, path);
