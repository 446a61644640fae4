-- Extends the lease of a quorum lock on this server.
--
-- KEYS     held, see quorum.lua
-- ARGV     1 handle, 2 the minimum length of the lease from now, in milliseconds, 3 whether to grant the lock again if
--          it is free (1, 0)
-- Result   1 if the handle held the lock on this server, 0 if a different handle holds it, -1 if it was free
-- Cost     about 3 microseconds
-- Repeated extends the lease from the time of the last run

local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], math.max(tonumber(ARGV[2]), redis.call('PTTL', KEYS[1])))
  return 1
elseif holder then
  return 0
end
if ARGV[3] == '1' then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return -1
