-- The safety check: returns for each of many partitions when a message can next be claimed. Runs after clock.lua,
-- limits.lua, waiting.lua and attend.lua.
--
-- KEYS     four keys a partition: scheduled, leased, meta, waiting
-- ARGV     1 the client as in waiting.lua, 2 and later two values for each partition: the number of partitions that
--          the client assumes for the queue; w if the client waits there, else -
-- Result   [engine microseconds, then for each partition the earliest time in milliseconds, or nil]
-- Cost     about 1 microsecond a partition; a write a partition every 10 seconds while the client waits there
-- Repeated same effect and result
--
-- A client that assumes a wrong number gets the time 0 for the partition. It then claims, and learns the number.
-- Otherwise it would never look at the further partitions of a queue that was deleted and created again.
--
-- For a partition with a different client on duty, the result has the earliest time only if it passed at least
-- LATE_MILLIS ago: the client on duty claims the message, unless it has failed.

local LATE_MILLIS = 20
local CLIENT = ARGV[1]

for i = 1, #KEYS, 4 do
  local next = false
  local assumed, mode = ARGV[2 * #reply], ARGV[2 * #reply + 1]
  local meta = call('HMGET', KEYS[i + 2], 'paused', 'format', 'limits', 'partitions')
  if meta[4] and meta[4] ~= assumed then
    mode, next = '-', '0'
  elseif meta[1] ~= '1' then
    local due = call('ZRANGE', KEYS[i], '0', '0', 'WITHSCORES')[2]
    local lease = call('ZRANGE', KEYS[i + 1], '0', '0', 'WITHSCORES')[2]
    next = due or lease or false
    if due and lease and tonumber(lease) < tonumber(due) then
      next = lease
    end
    if meta[3] then
      next = allowedAt(meta[3], KEYS[i + 2], KEYS[i + 1], due, lease, tonumber(reply[1])) or false
    end
  end
  -- A client is not registered at a partition that was deleted, because no script would remove its entry.
  if meta[2] and mode == 'w' and attend(KEYS[i + 3], CLIENT, false)
      and next and tonumber(next) > nowMillis - LATE_MILLIS then
    next = false
  end
  reply[#reply + 1] = next
end
return reply
