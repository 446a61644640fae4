-- The limits of claims. Runs before partition.lua or after clock.lua.
--
-- The field `limits` of the key `meta` has the partition's share, and then the limits of the queue for look-ups:
--   tokens, microseconds in which the tokens arrive, microseconds in which the empty bucket becomes full, places or -,
--   number of partitions; rate, microseconds, burst, concurrency
-- If both first numbers are 0, the rate has no limit. The field `full` is the time at which the token bucket is full,
-- in microseconds from 1970, and `short` is the time of the last claim that the share cut short, in milliseconds.
-- io.punctual.spi.LimitShare has the same rules.

-- Returns when the limits allow the next claim, in milliseconds as text, or nil. The arguments `due` and `lease` are
-- the earliest due time and the end of the first lease, or nil. On a queue with several partitions, the result is not
-- later than the earlier of these times, because shares of other partitions may arrive here. After a claim that the
-- share cut short, it is not later than SHARES_MILLIS after that claim, if this is later than the earlier time.
local function allowedAt(limits, meta, leased, due, lease, micros)
  local SHARES_MILLIS = 500
  local call = redis.call
  local tokens, per, bucket, places, partitions = string.match(limits, '^(%d+) (%d+) (%d+) (%S+) (%d+)')
  local first = due or lease
  if due and lease and tonumber(lease) < tonumber(due) then
    first = lease
  end
  local next = first
  if places ~= '-' and call('ZCARD', leased) >= tonumber(places) then
    next = lease
  end
  if next and per ~= '0' then
    if per / tokens > tonumber(bucket) then
      next = nil
    else
      local full = math.min(tonumber(call('HGET', meta, 'full')) or 0, micros + bucket)
      local token = full + math.ceil(per / tokens) - bucket
      if token > micros and token > tonumber(next) * 1000 then
        next = string.format('%.0f', math.ceil(token / 1000))
      end
    end
  end
  if first and partitions ~= '1' then
    local now = math.floor(micros / 1000)
    if next and tonumber(next) <= now then
      return next
    end
    local again = (tonumber(call('HGET', meta, 'short')) or 0) + SHARES_MILLIS
    if again > tonumber(first) and again > now and again <= now + SHARES_MILLIS then
      first = string.format('%.0f', again)
    end
    if not next or tonumber(next) > tonumber(first) then
      return first
    end
  end
  return next
end
