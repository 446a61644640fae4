-- Changes the count of a latch, and notifies the waiters when it reaches zero.
--
-- KEYS     1 a string: "count cycle"; no key means zero, 2 the result of this call (a string, for repeated calls)
--          cycle  the id of the call that set the count, so that no two cycles of a latch have the same
-- ARGV     1 the publishing command: PUBLISH or SPUBLISH, a space, and the channel; 2 set, down or zero;
--          3 the count to set, 4 how many milliseconds to remember the call, 5 the id of this call, 6 whether the call is
--          repeated (0, 1)
-- Result   whether the count was changed (1, 0), the count now; 'I' without effect if the id belongs to a different call,
--          see acquire.lua
-- Cost     about 8 microseconds, and 5 when it reaches zero
-- Repeated returns the same result and changes nothing more
--
-- The message to the waiters is the cycle that ended. A message can arrive when the next cycle has begun already.

local call = redis.call
local known = call('GET', KEYS[2])
if known then
  if ARGV[6] == '0' then
    return {'I'}
  end
  return {1, tonumber(known)}
end
local stored, cycle = string.match(call('GET', KEYS[1]) or '', '^(%d+) (.*)$')
local count = tonumber(stored or 0)
if (ARGV[2] == 'set') ~= (count == 0) then
  return {0, count}
end
if ARGV[2] == 'set' then
  count, cycle = tonumber(ARGV[3]), ARGV[5]
else
  count = ARGV[2] == 'down' and count - 1 or 0
  call('DEL', KEYS[2])  -- without effect; allowed when memory is full, and Redis then allows the later writes
end
local text = string.format('%.0f', count)
call('SET', KEYS[2], text, 'PX', ARGV[4])
if count > 0 then
  call('SET', KEYS[1], text .. ' ' .. cycle)
else
  call('DEL', KEYS[1])
  local publish, channel = string.match(ARGV[1], '^(%u+) (.*)$')
  redis.pcall(publish, channel, cycle)
end
return {1, count}
