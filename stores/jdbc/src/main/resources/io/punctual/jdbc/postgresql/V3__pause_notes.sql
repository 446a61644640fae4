-- A row for each queue that was paused with a reason or a name. note has the name of who paused the queue, a line feed and
-- the reason.
CREATE TABLE punctual_pause (
  queue_id bigint PRIMARY KEY,
  note text NOT NULL
);

INSERT INTO punctual_schema (version) VALUES (3);
