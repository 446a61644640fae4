-- Returns the number of waiters for a lock, and its holders. Runs after bucket.lua, exclusive.lua or shared.lua, and
-- line.lua.
--
-- KEYS     counter, and the lock's keys
-- ARGV     1 the publishing command (not used), 2 the maximum number of holders
-- Result   the number of waiters; then handle, token and milliseconds left of each holder
-- Cost     about 5 microseconds, and 1 for each holder
-- Repeated only removes holders with expired leases

look(1)
local reply = {call('ZCOUNT', SEEN, '(' .. string.format('%.0f', nowMillis - SILENCE), '+inf')}
for _, held in ipairs(holders(tonumber(ARGV[2]))) do
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = held[1], held[2], held[3]
end
return reply
