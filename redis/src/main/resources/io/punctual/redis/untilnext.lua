-- Tells for many lanes when each has something to claim: the safety check.
--
-- KEYS     three a lane: scheduled, leased, meta
-- Result   [engine microseconds, then for each lane its earliest time in milliseconds, or nil]
-- Cost     about 1 microsecond a lane
-- Twice    it only reads

local call = redis.call
local time = call('TIME')
local reply = {string.format('%.0f', time[1] * 1000000 + time[2])}
for i = 1, #KEYS, 3 do
  local next = false
  if call('HGET', KEYS[i + 2], 'paused') ~= '1' then
    local due = call('ZRANGE', KEYS[i], '0', '0', 'WITHSCORES')[2]
    local lease = call('ZRANGE', KEYS[i + 1], '0', '0', 'WITHSCORES')[2]
    next = due or lease or false
    if due and lease and tonumber(lease) < tonumber(due) then
      next = lease
    end
  end
  reply[#reply + 1] = next
end
return reply
