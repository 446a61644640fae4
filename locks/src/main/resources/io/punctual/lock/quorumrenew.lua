-- Extends the lease of the part of a quorum lock on this server to at least this long from now.
--
-- KEYS     held
-- ARGV     1 handle, 2 lease in milliseconds, 3 whether to take it if it is free (1, 0)
-- Result   1 if the handle holds it, 0 if a different handle does, -1 if it was free
-- Cost     about 3 microseconds
-- Twice    the lease ends later

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
