-- holder is the session that claimed a leased message. It is null if an earlier release claimed the message, and stays after
-- the end of the lease.
-- MySQL has no ADD COLUMN IF NOT EXISTS, which a second run after an interrupted run needs.
SET @punctual_alter = IF(
  (SELECT count(*) FROM information_schema.columns
    WHERE table_schema = database() AND table_name = 'punctual_message' AND column_name = 'holder') = 0,
  'ALTER TABLE punctual_message ADD COLUMN holder varchar(32) CHARACTER SET ascii',
  'DO 0');

PREPARE punctual_alter FROM @punctual_alter;

EXECUTE punctual_alter;

DEALLOCATE PREPARE punctual_alter;

INSERT IGNORE INTO punctual_schema (version) VALUES (5);
