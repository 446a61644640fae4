-- A row for each queue that was paused with a reason or a name. note has the name of who paused the queue, a line feed and
-- the reason.
CREATE TABLE IF NOT EXISTS punctual_pause (
  queue_id bigint NOT NULL PRIMARY KEY,
  note varchar(600) NOT NULL
);

INSERT INTO punctual_schema (version) VALUES (3);
