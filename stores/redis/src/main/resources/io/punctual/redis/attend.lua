-- Registers a client as waiting, or renews a registration that is older than RENEWAL_MILLIS; see waiting.lua. The
-- client goes on duty if no other client is on duty, or if takesOver is true. Returns whether a different client
-- stays on duty. Runs after waiting.lua, and after partition.lua or clock.lua (`nowMillis`).
local function attend(key, client, takesOver)
  local RENEWAL_MILLIS = 10000
  local first = redis.pcall('ZRANGE', key, '0', '0', 'REV', 'WITHSCORES')
  local heard = (tonumber(first[2]) or 0) - DUTY
  local mine = first[1] == client
  local others = not mine and heard > nowMillis - SILENT_MILLIS
  local behind = others and not takesOver
  local duty = behind and 0 or DUTY
  local score = mine and first[2] or redis.pcall('ZSCORE', key, client)
  if type(score) == 'string' and tonumber(score) >= duty + nowMillis - RENEWAL_MILLIS then
    return behind
  end
  if others and takesOver then
    -- The client on duty did not claim the due messages in time, so it becomes the last choice for the duty until
    -- the server hears from it.
    redis.pcall('ZADD', key, nowMillis - SILENT_MILLIS + 2 * RENEWAL_MILLIS, first[1])
  elseif not mine and not others and heard >= 0 then
    redis.pcall('ZREM', key, first[1])
  end
  local silent = redis.pcall('ZRANGE', key, '-inf', nowMillis - SILENT_MILLIS, 'BYSCORE',
      'LIMIT', '0', '100')
  if silent[1] then
    redis.pcall('ZREM', key, unpack(silent))
  end
  local added = redis.pcall('ZADD', key, duty + nowMillis, client)
  redis.pcall('EXPIRE', key, 2 * SILENT_MILLIS / 1000) -- clients that crashed do not keep the key
  return behind and type(added) == 'number'
end
