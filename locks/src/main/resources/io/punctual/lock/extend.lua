-- Extends the lease of a lock.
--
-- KEYS     counter, and the lock's keys
-- ARGV     1 handle, 2 the least length of the lease from now, in milliseconds
-- Result   the fencing token, or 0 for locks without, if the handle holds the lock, else -1
-- Cost     about 3 microseconds
-- Twice    the lease ends later

local handle, lease = ARGV[1], tonumber(ARGV[2])
look(1)
return {renew(handle, lease) and tokenOf(handle) or -1}
