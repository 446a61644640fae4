-- holder is the session that claimed a leased message. It is null if an earlier release claimed the message, and stays after
-- the end of the lease.
ALTER TABLE punctual_message ADD COLUMN holder text;

INSERT INTO punctual_schema (version) VALUES (5);
