-- Sends a hint to the client on duty: a message is due at this time, in milliseconds. If the client no longer
-- listens, it loses its registration, and the next client goes on duty and gets the hint. Runs after
-- partition.lua and waiting.lua.
local WAITING = KEYS[9]

local function wake(due)
  local MOST_TRIES = 10
  for _ = 1, MOST_TRIES do
    local first = redis.pcall('ZRANGE', WAITING, '0', '0', 'REV', 'WITHSCORES')
    local client = first[1]
    if not client then
      return
    end
    local command = string.byte(client) == 83 and 'SPUBLISH' or 'PUBLISH'
    local listeners = redis.pcall(command, WAITING .. ':' .. client,
        text(math.max(0, due * 1000 - micros)))
    if type(listeners) == 'number' and listeners > 0 then
      if tonumber(first[2]) < DUTY then
        redis.pcall('ZADD', WAITING, DUTY + nowMillis, client)
      end
      return
    end
    redis.pcall('ZREM', WAITING, client)
  end
end
