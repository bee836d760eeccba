-- What laps have taught about tracks; and indexes that hold all that lists of drivers and days look at.

CREATE TABLE track_facts (
    game {text} NOT NULL,
    track {text} NOT NULL,
    -- Empty if there is none.
    layout {text} NOT NULL,
    facts {text} NOT NULL,
    PRIMARY KEY (game, track, layout)
);

DROP INDEX laps_combination;
CREATE INDEX laps_combination ON laps (combination, sort_us DESC, id DESC, visibility) WHERE gone = 0;
DROP INDEX laps_best;
CREATE INDEX laps_best ON laps (combination, time_ms, sort_us, id, visibility) WHERE counts = 1;
