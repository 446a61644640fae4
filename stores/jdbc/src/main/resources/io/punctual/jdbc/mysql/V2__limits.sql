-- A row for each queue with limits, which its claims lock. limits has four numbers, as io.punctual.spi.LimitShare writes
-- them. full_micros is the time at which the token bucket of the rate is full, in microseconds from 1970.
CREATE TABLE IF NOT EXISTS punctual_limit (
  queue_id bigint NOT NULL PRIMARY KEY,
  limits varchar(100) CHARACTER SET ascii NOT NULL,
  full_micros bigint NOT NULL
) ENGINE = InnoDB;

INSERT IGNORE INTO punctual_schema (version) VALUES (2);
