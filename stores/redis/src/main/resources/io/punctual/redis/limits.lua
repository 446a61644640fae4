-- The limits of claims. Runs before partition.lua or after clock.lua.
--
-- The field `limits` of the key `meta` has the partition's share, and then the limits of the queue for look-ups:
--   tokens, microseconds in which the tokens arrive, burst, concurrency; rate, microseconds, burst, concurrency
-- A number of 0 means that there is no such limit. The field `full` is the time at which the token bucket is full, in
-- microseconds from 1970. io.punctual.spi.LimitShare has the same rules.

-- Returns when the limits allow the next claim, in milliseconds as text, or nil. The arguments `due` and `lease` are the
-- earliest due time and the end of the first lease, or nil.
local function allowedAt(limits, meta, leased, due, lease, micros)
  local call = redis.call
  local tokens, per, burst, places = string.match(limits, '^(%d+) (%d+) (%d+) (%d+)')
  if places ~= '0' and call('ZCARD', leased) >= tonumber(places) then
    due = nil
  end
  local next = due or lease
  if due and lease and tonumber(lease) < tonumber(due) then
    next = lease
  end
  if next and tokens ~= '0' then
    local bucket = math.ceil(burst * per / tokens)
    local full = math.min(tonumber(call('HGET', meta, 'full')) or 0, micros + bucket)
    local token = full + math.ceil(per / tokens) - bucket
    if token > micros and token > tonumber(next) * 1000 then
      return string.format('%.0f', math.ceil(token / 1000))
    end
  end
  return next
end
