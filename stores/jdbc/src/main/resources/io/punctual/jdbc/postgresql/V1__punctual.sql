-- The tables of a Punctual store on PostgreSQL. Times are milliseconds from 1970, by the clock of the database.
CREATE TABLE punctual_schema (
  version int NOT NULL
);

CREATE TABLE punctual_queue (
  queue_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name text COLLATE "C" NOT NULL UNIQUE,
  paused boolean NOT NULL
);

-- state 0: waiting, at_millis is the due time. 1: leased, the end of the lease. 2: dead, the time of death.
-- 3: finished, the time at which the id is forgotten; the content is empty.
CREATE TABLE punctual_message (
  at_millis bigint NOT NULL,
  due_millis bigint,
  token bigint,
  queue_id bigint NOT NULL,
  attempts int NOT NULL,
  state smallint NOT NULL,
  cancelled boolean NOT NULL,
  id bytea NOT NULL,
  history bytea,
  content bytea NOT NULL,
  PRIMARY KEY (id, queue_id)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

CREATE INDEX punctual_message_at ON punctual_message (queue_id, state, at_millis, id);

-- A row for each recent call, by which a client finds out whether a transaction without a reply was committed.
CREATE TABLE punctual_call (
  client_id bytea NOT NULL,
  call_number bigint NOT NULL,
  at_millis bigint NOT NULL,
  PRIMARY KEY (client_id, call_number)
);

INSERT INTO punctual_schema (version) VALUES (1);
