-- The tables of schema 7, with a session of two laps, one of them excluded and with a note, and a match.
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
    name {text},
    note {text},
    tags {text} NOT NULL,
    deleted_us BIGINT,
    sort_us BIGINT NOT NULL,
    visibility BIGINT NOT NULL,
    lap_count BIGINT NOT NULL,
    best_lap {bytes},
    best_ms BIGINT,
    theoretical_ms BIGINT,
    shown_lap_count BIGINT NOT NULL,
    shown_best_lap {bytes},
    shown_best_ms BIGINT,
    shown_theoretical_ms BIGINT,
    is_foreign BIGINT NOT NULL DEFAULT 0,
    said_foreign BIGINT
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
    excluded BIGINT NOT NULL,
    name {text},
    note {text},
    tags {text} NOT NULL,
    deleted_us BIGINT,
    sort_us BIGINT NOT NULL,
    visibility BIGINT NOT NULL,
    gone BIGINT NOT NULL,
    counts BIGINT NOT NULL,
    is_foreign BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX laps_session ON laps (session, tape_lap);
CREATE INDEX laps_tape ON laps (tape);
CREATE INDEX laps_newest ON laps (sort_us DESC, id DESC) WHERE gone = 0;
CREATE INDEX laps_time ON laps (time_ms, id) WHERE gone = 0 AND time_ms IS NOT NULL;

CREATE TABLE edits (
    id {bytes} PRIMARY KEY,
    kind {text} NOT NULL,
    tape {bytes} NOT NULL,
    start_ns BIGINT NOT NULL,
    end_ns BIGINT,
    attached {bytes},
    excluded BIGINT NOT NULL,
    name {text},
    note {text},
    tags {text} NOT NULL,
    deleted_us BIGINT,
    changed_us BIGINT NOT NULL,
    said_foreign BIGINT
);
CREATE INDEX edits_tape ON edits (tape);
CREATE INDEX edits_attached ON edits (attached);

CREATE TABLE drivers (
    driver {text} PRIMARY KEY,
    name {text},
    visibility BIGINT NOT NULL,
    changed_us BIGINT NOT NULL
);

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

CREATE TABLE tokens (
    id {bytes} PRIMARY KEY,
    name {text} NOT NULL,
    scope {text} NOT NULL,
    hash {bytes} NOT NULL,
    created_us BIGINT NOT NULL,
    used_us BIGINT,
    revoked_us BIGINT
);
CREATE UNIQUE INDEX tokens_hash ON tokens (hash);

CREATE TABLE outbox (
    session {bytes} PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    stamp BIGINT NOT NULL
);

CREATE TABLE track_facts (
    game {text} NOT NULL,
    track {text} NOT NULL,
    layout {text} NOT NULL,
    facts {text} NOT NULL,
    PRIMARY KEY (game, track, layout)
);

CREATE INDEX laps_combination ON laps (combination, sort_us DESC, id DESC, visibility) WHERE gone = 0;
CREATE INDEX laps_best ON laps (combination, time_ms, sort_us, id, visibility) WHERE counts = 1;

CREATE TABLE gametape_schema (version BIGINT NOT NULL);
INSERT INTO gametape_schema (version) VALUES (7);
CREATE TABLE matches (
    tape {bytes} NOT NULL PRIMARY KEY,
    game {text} NOT NULL,
    map {text},
    at_us BIGINT NOT NULL,
    facts {text} NOT NULL,
    events {text} NOT NULL,
    events_left_out BIGINT NOT NULL
);
CREATE INDEX matches_at ON matches (at_us DESC, tape DESC);

CREATE TABLE match_players (
    tape {bytes} NOT NULL REFERENCES matches (tape) ON DELETE CASCADE,
    n BIGINT NOT NULL,
    name {text} NOT NULL,
    PRIMARY KEY (tape, n)
);

CREATE TABLE changes (
    n BIGINT NOT NULL
);
INSERT INTO changes (n) VALUES (5);

CREATE TABLE pushed (
    upstream {text} NOT NULL,
    kind {text} NOT NULL,
    id {bytes} NOT NULL,
    content {text} NOT NULL,
    PRIMARY KEY (upstream, kind, id)
);
CREATE TABLE session_cars (
    session {bytes} NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
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
INSERT INTO tracked (tape, tracker, tracker_version) VALUES (X'01010101010101010101010101010101', 'laps', 1);
INSERT INTO sessions (id, tape, game, kind, track, car, driver, start_ns, end_ns, started_us, sector_count, tags, sort_us, visibility,
    lap_count, best_lap, best_ms, theoretical_ms, shown_lap_count, shown_best_lap, shown_best_ms, shown_theoretical_ms)
VALUES (X'a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1', X'01010101010101010101010101010101', 'assetto-corsa-competizione', 'practice', 'Spa', 'car_a', 'Driver 1', 0, 200000000000, 1772366400000000, 3, '[]',
    1772366400000000, 0, 2, X'b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2', 99000, 99000, 2, X'b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2', 99000, 99000);
INSERT INTO stints (session, n, start_reason, start_ns) VALUES (X'a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1', 1, 'pit', 0);
INSERT INTO combinations (id, game, track, car, driver) VALUES (77, 'assetto-corsa-competizione', 'Spa', 'car_a', 'Driver 1');
INSERT INTO laps (id, session, tape, combination, number, tape_lap, stint, driver, start_ns, end_ns, started_us, time_ms, time_source,
    state, phase, complete, valid, reasons, eligible, sectors, fuel_used_l, conditions, excluded, note, tags, sort_us, visibility, gone, counts)
VALUES (X'b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1', X'a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1', X'01010101010101010101010101010101', 77, 1, 1, 1, 'Driver 1', 0, 100000000000, 1772366400000000, 98000, 'official', 'final', 'flying', 1, 1,
    '[]', 1, '[[30000,"official"],[40000,"official"],[28000,"official"]]', 2.5, '{"rain":"dry"}', 1, 'kerb', '["wet"]', 1772366400000000, 0, 0, 0);
INSERT INTO laps (id, session, tape, combination, number, tape_lap, stint, driver, start_ns, end_ns, started_us, time_ms, time_source,
    state, phase, complete, valid, reasons, eligible, sectors, conditions, excluded, tags, sort_us, visibility, gone, counts)
VALUES (X'b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2', X'a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1', X'01010101010101010101010101010101', 77, 2, 2, 1, 'Driver 1', 100000000000, 199000000000, 1772366500000000, 99000, 'official', 'final', 'flying', 1, 1,
    '[]', 1, '[[30000,"official"],[40000,"official"],[29000,"official"]]', '{}', 0, '[]', 1772366500000000, 0, 0, 1);
INSERT INTO edits (id, kind, tape, start_ns, end_ns, attached, excluded, note, tags, changed_us)
VALUES (X'c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1', 'lap', X'01010101010101010101010101010101', 0, 100000000000, X'b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1', 1, 'kerb', '["wet"]', 1772366600000000);
INSERT INTO tokens (id, name, scope, hash, created_us) VALUES (X'd0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0', 'rig', 'read', X'd1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1d1', 1772366400000000);
INSERT INTO track_facts (game, track, layout, facts) VALUES ('assetto-corsa-competizione', 'Spa', '',
    '{"length_m":7004.0,"sector_ends":[0.3,0.7],"outline_m":[],"pit_entry":null,"pit_exit":null}');
INSERT INTO session_cars (session, car, is_player, driver, team, car_model, class, race_number, position, result, current_lap, newest_lap,
    last_ms, best_ms, last_sectors, gap_to_leader_ms, gap_ahead_ms, pit_stops, tyre)
VALUES (X'a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1', 7, 0, 'Driver 2', 'Team A', 'car_b', 'GT3', 44, 1, 'finished', 2, 2,
    97500, 97500, '[30000,null,27500]', NULL, NULL, 1, 'soft');
INSERT INTO car_laps (session, car, number, time_ms, sectors, valid, valid_sectors)
VALUES (X'a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1', 7, 2, 97500, '[30000,null,27500]', 1, '[true,true,true]');
INSERT INTO matches (tape, game, map, at_us, facts, events, events_left_out)
VALUES (X'02020202020202020202020202020202', 'rocket-league', 'Park_P', 1772366400000000,
    '{"game":"rocket-league","map":"Park_P","result":"2:1","players":[{"name":"Player 1"}]}', '[[5000000000,"goal","1:0 Player 1, team 0"]]', 0);
INSERT INTO match_players (tape, n, name) VALUES (X'02020202020202020202020202020202', 0, 'Player 1');
