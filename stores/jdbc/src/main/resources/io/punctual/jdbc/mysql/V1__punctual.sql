-- The tables of a Punctual store on MariaDB or MySQL. Times are milliseconds from 1970, by the clock of the database.
CREATE TABLE IF NOT EXISTS punctual_queue (
  queue_id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  name varchar(200) CHARACTER SET ascii COLLATE ascii_bin NOT NULL UNIQUE,
  paused boolean NOT NULL
) ENGINE = InnoDB;

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
  id varbinary(256) NOT NULL,
  history longblob,
  content longblob NOT NULL,
  PRIMARY KEY (queue_id, id),
  KEY punctual_message_at (queue_id, state, at_millis, id)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

-- A row for each recent call, by which a client finds out whether a transaction without a reply was committed.
CREATE TABLE IF NOT EXISTS punctual_call (
  client_id varbinary(16) NOT NULL,
  call_number bigint NOT NULL,
  at_millis bigint NOT NULL,
  PRIMARY KEY (client_id, call_number)
) ENGINE = InnoDB;

-- The last table, because the database commits each statement: its row means that the script has ended.
CREATE TABLE IF NOT EXISTS punctual_schema (
  version int NOT NULL PRIMARY KEY
) ENGINE = InnoDB;

INSERT IGNORE INTO punctual_schema (version) VALUES (1);
