-- The tables of a Punctual store on H2. Times are milliseconds from 1970, by the clock of the database.
CREATE TABLE IF NOT EXISTS punctual_queue (
  queue_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name varchar(200) NOT NULL UNIQUE,
  paused boolean NOT NULL
);

-- state 0: waiting, at_millis is the due time. 1: leased, the end of the lease. 2: dead, the time of death.
-- 3: finished, the time at which the id is forgotten; the content is empty.
CREATE TABLE IF NOT EXISTS punctual_message (
  at_millis bigint NOT NULL,
  due_millis bigint,
  token bigint,
  queue_id bigint NOT NULL,
  attempts int NOT NULL,
  state smallint NOT NULL,
  cancelled boolean NOT NULL,
  id binary varying(1024) NOT NULL,
  history binary large object,
  content binary large object NOT NULL,
  PRIMARY KEY (queue_id, id)
);

CREATE INDEX IF NOT EXISTS punctual_message_at ON punctual_message (queue_id, state, at_millis, id);

-- A row for each recent call, by which a client finds out whether a transaction without a reply was committed.
CREATE TABLE IF NOT EXISTS punctual_call (
  client_id binary varying(16) NOT NULL,
  call_number bigint NOT NULL,
  at_millis bigint NOT NULL,
  PRIMARY KEY (client_id, call_number)
);

-- The last table, because H2 commits each statement: its row means that the script has ended.
CREATE TABLE IF NOT EXISTS punctual_schema (
  version int NOT NULL
);

INSERT INTO punctual_schema (version) VALUES (1);
