-- Who may use the server, and what still has to be sent to another store.

CREATE TABLE tokens (
    id {bytes} PRIMARY KEY,
    name {text} NOT NULL,
    scope {text} NOT NULL,
    -- BLAKE3 of the token. The token itself is nowhere.
    hash {bytes} NOT NULL,
    created_us BIGINT NOT NULL,
    used_us BIGINT,
    revoked_us BIGINT
);
CREATE UNIQUE INDEX tokens_hash ON tokens (hash);

-- Sessions of this store of which something is not in the other store yet. The stamp rises with every write.
CREATE TABLE outbox (
    session {bytes} PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    stamp BIGINT NOT NULL
);
