-- Renews or extends the leases of locks of the same bucket. It is also the proof that this server has a grant or a
-- renewal, over a connection that then waits for replicas or the disk (Witness.java): it writes in any case, and the
-- lease that it leaves is at least as long as the lease that the client relies on. Runs after bucket.lua, and
-- exclusive.lua or shared.lua.
--
-- KEYS     counter, then each lock's keys
-- ARGV     for each lock: handle, the minimum length of the lease from now, in milliseconds
-- Result   for each lock: its fencing token, or 0 for a semaphore, if the handle holds the lock; else -1
-- Cost     about 3 microseconds a lock
-- Repeated extends the leases from the time of the last run

local reply = {}
for i = 1, #ARGV / 2 do
  local handle = ARGV[2 * i - 1]
  look(i)
  if renew(handle, tonumber(ARGV[2 * i])) then
    reply[i] = tokenOf(handle)
  else
    call('ZREM', LINE, '')  -- without effect; a read-only replica, which may only lag, refuses it
    reply[i] = -1
  end
end
return reply
