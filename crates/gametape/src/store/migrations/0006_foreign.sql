-- Laps of others: they come from a file of another logger, and are never a personal best. is_foreign of a session is what its tape says,
-- said_foreign what a user says instead. is_foreign of a lap is made from both.

ALTER TABLE sessions ADD COLUMN is_foreign BIGINT NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN said_foreign BIGINT;
ALTER TABLE laps ADD COLUMN is_foreign BIGINT NOT NULL DEFAULT 0;
ALTER TABLE edits ADD COLUMN said_foreign BIGINT;
