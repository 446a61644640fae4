-- Extends the lease of a lock. Runs after bucket.lua, and exclusive.lua or shared.lua.
--
-- KEYS     counter, and the lock's keys
-- ARGV     1 handle, 2 the minimum length of the lease from now, in milliseconds
-- Result   if the handle holds the lock, its fencing token, or 0 for a semaphore; else -1
-- Cost     about 3 microseconds
-- Repeated extends the lease from the time of the last run

local handle, lease = ARGV[1], tonumber(ARGV[2])
look(1)
return {renew(handle, lease) and tokenOf(handle) or -1}
