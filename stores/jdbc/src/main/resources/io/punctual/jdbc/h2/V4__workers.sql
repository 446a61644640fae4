-- A row for each process with workers: its text, the time of its last renewal, and the time until which the row counts.
CREATE TABLE IF NOT EXISTS punctual_worker (
  client_id varchar(32) NOT NULL PRIMARY KEY,
  seen_millis bigint NOT NULL,
  until_millis bigint NOT NULL,
  text character large object NOT NULL
);

INSERT INTO punctual_schema (version) VALUES (4);
