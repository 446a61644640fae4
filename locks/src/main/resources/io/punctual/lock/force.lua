-- Takes a lock away from whoever holds it, and passes it on.
--
-- KEYS     counter, and those of the lock
-- ARGV     1 how clients are told
-- Result   the handles that held it, up to 1000
-- Cost     about 8 microseconds, and 10 for each grant
-- Twice    it takes the lock away from those that it was passed on to

look(1)
local held = dropAll()
passOn(nil)
tell(nil, {})
return held
