-- Matches: the facts in tapes of replay files, and their events, so that a list needs no tape and a match needs no file.

CREATE TABLE matches (
    tape {bytes} NOT NULL PRIMARY KEY,
    game {text} NOT NULL,
    map {text},
    -- When it was played, as well as the file says; 0 if it does not. Microseconds since 1970. A local time counts as UTC here.
    at_us BIGINT NOT NULL,
    facts {text} NOT NULL,
    events {text} NOT NULL,
    -- How many events of the tape are not in `events`.
    events_left_out BIGINT NOT NULL
);
CREATE INDEX matches_at ON matches (at_us DESC, tape DESC);

-- The names of the players, to find their matches.
CREATE TABLE match_players (
    tape {bytes} NOT NULL REFERENCES matches (tape) ON DELETE CASCADE,
    n BIGINT NOT NULL,
    name {text} NOT NULL,
    PRIMARY KEY (tape, n)
);
