-- Grants the part of a quorum lock on this server.
--
-- KEYS     held (a string that expires with the lease: the handle)
-- ARGV     1 handle, 2 lease in milliseconds, 3 the uptime in seconds that the server must exceed
-- Result   1 if the handle now holds the lock on this server, 0 if a different handle holds it, -1 if the server was
--          started too recently, -2 if the id belongs to a different handle, see acquire.lua
-- Cost     about 30 microseconds, most of it for INFO
-- Repeated returns -2; a client asks each server once for each handle
--
-- A server may have lost its locks in a restart, so it grants no lock until the longest lease has passed.

local info = redis.call('INFO', 'server')
local uptime = tonumber(string.match(info, 'uptime_in_seconds:(%d+)'))
if not uptime or uptime <= tonumber(ARGV[3]) then
  return -1
end
local holder = redis.call('GET', KEYS[1])
if holder then
  return holder == ARGV[1] and -2 or 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
