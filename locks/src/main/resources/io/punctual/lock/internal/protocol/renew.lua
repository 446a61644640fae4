-- Renews the leases of locks of the same bucket. Runs after bucket.lua, and exclusive.lua or shared.lua.
--
-- KEYS     counter, then each lock's keys
-- ARGV     the handle of each lock
-- Result   for each lock: its fencing token, or 0 for a semaphore, if the handle holds the lock; else -1
-- Cost     about 3 microseconds a lock
-- Repeated renews the leases from the time of the last run

local reply = {}
for i, handle in ipairs(ARGV) do
  local _, _, _, lease = parse(handle)
  look(i)
  reply[i] = renew(handle, lease) and tokenOf(handle) or -1
end
return reply
