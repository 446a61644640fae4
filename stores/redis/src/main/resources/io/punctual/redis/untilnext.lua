-- Tells for many partitions when each has something to claim: the safety check.
--
-- KEYS     four a partition: scheduled, leased, meta, waiting
-- ARGV     1 the client, as in waiting.lua, 2 a letter a partition: w if the client waits there, b if it had no
--          room lately, or - if it does not listen there
-- Result   [engine microseconds, then for each partition its earliest time in milliseconds, or nil]
-- Cost     about 1 microsecond a partition; every few seconds a write
-- Twice    the same again
--
-- While a different client is on duty in a partition, the reply has only times that have passed.

local LATE_MILLIS = 20
local CLIENT = ARGV[1]

for i = 1, #KEYS, 4 do
  local next = false
  local meta = call('HMGET', KEYS[i + 2], 'paused', 'format')
  if meta[1] ~= '1' then
    local due = call('ZRANGE', KEYS[i], '0', '0', 'WITHSCORES')[2]
    local lease = call('ZRANGE', KEYS[i + 1], '0', '0', 'WITHSCORES')[2]
    next = due or lease or false
    if due and lease and tonumber(lease) < tonumber(due) then
      next = lease
    end
  end
  -- A client does not wait for a queue that was deleted: nobody would remove its entry.
  if meta[2] and string.sub(ARGV[2], #reply, #reply) == 'w' and attend(KEYS[i + 3], CLIENT, false)
      and next and tonumber(next) > nowMillis - LATE_MILLIS then
    next = false
  end
  reply[#reply + 1] = next
end
return reply
