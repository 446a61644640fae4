-- Takes one server's part of a quorum lock.
--
-- KEYS     held (a string, the handle, that expires with the lease)
-- ARGV     1 handle, 2 lease in milliseconds, 3 how many seconds the server must have been running
-- Result   1 if the handle has it, 0 if another has, -1 if the server was started too lately
-- Cost     about 30 microseconds, most of them to ask for the time of the start
-- Twice    the lease begins anew
--
-- A server that was started may have forgotten what it promised, so it stays out until that is over.

local info = redis.call('INFO', 'server')
local uptime = tonumber(string.match(info, 'uptime_in_seconds:(%d+)'))
if not uptime or uptime <= tonumber(ARGV[3]) then
  return -1
end
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
