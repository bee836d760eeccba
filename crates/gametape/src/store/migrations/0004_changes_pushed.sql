-- A counter that rises with every change, so that who keeps an answer knows whether it still holds; and what another server has already.

CREATE TABLE changes (
    n BIGINT NOT NULL
);
INSERT INTO changes (n) VALUES (0);

-- Sessions and tapes that were sent to another server, and what they were then. Sending the same again changes nothing there.
CREATE TABLE pushed (
    upstream {text} NOT NULL,
    kind {text} NOT NULL,
    id {bytes} NOT NULL,
    content {text} NOT NULL,
    PRIMARY KEY (upstream, kind, id)
);
