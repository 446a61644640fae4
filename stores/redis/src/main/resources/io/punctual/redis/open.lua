-- Opens a session, unless it is open. Runs after types.lua and partition.lua.
--
-- KEYS     1 to 10 as in partition.lua, 11 session, [12 the session that it replaces]
-- ARGV     1 as in partition.lua
-- Result   [engine microseconds]
-- Cost     some twenty commands, independent of the partition's size
-- Repeated sets the time to live again

local SESSION = KEYS[11]
local SESSION_SECONDS = 4200

local wrong = wrongType()
if wrong then
  return wrong
end
call('HDEL', META, '0')  -- allowed when memory is full; Redis then allows the later writes
if call('EXISTS', SESSION) == 0 then
  call('HSET', SESSION, 'last', 0, 'low', 1, 'seen', time[1])
end
call('EXPIRE', SESSION, SESSION_SECONDS)
if KEYS[12] and KEYS[12] ~= SESSION then
  call('DEL', KEYS[12])
end
return {moment}
