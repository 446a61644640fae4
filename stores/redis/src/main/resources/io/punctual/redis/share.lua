-- Reads the use of the limits. If the ledger of shares equals the expected ledger, replaces it first. Runs after
-- partition.lua (`limits`, `paused`, `earliest`), shares.lua, waiting.lua and wake.lua.
--
-- KEYS     as in partition.lua
-- ARGV     1 as in partition.lua, 2 and 3 the expected and the new ledger, as in shares.lua; both empty to read only
-- Result   [the limits of the queue as in limit.lua, ledger, engine microseconds, full, delivered, leased,
--          1 if a message is due and the queue is not paused, 1 if a lease has expired and the queue is not paused];
--          empty if the partition never had limits. The limits are empty if they were removed. If the ledger was
--          replaced, the values are those after the replacement.
-- Cost     a few commands
-- Repeated changes nothing, because the ledger no longer equals the expected ledger
--
-- The token bucket keeps its tokens, as far as they fit into its new size.

local fields = call('HMGET', META, 'shares', 'full', 'delivered')
local ledger, full = fields[1], tonumber(fields[2]) or 0
if not ledger then
  return {}
end
local whole = limits and string.match(limits, '^%S+ %S+ %S+ %S+ %S+ (.*)$') or ''
if ledger == ARGV[2] and not limits then
  ledger = ARGV[3]
  call('HSET', META, 'shares', ledger)
elseif ledger == ARGV[2] then
  local before = not paused and tonumber(earliest()) or math.huge
  local tokensBefore = string.match(limits, '^%d+')
  ledger = ARGV[3]
  limits = limitsOf(whole, ledger, ARGV[1])
  local tokens, per, bucket = string.match(limits, '^(%d+) (%d+) (%d+)')
  call('HDEL', META, '0')  -- allowed when memory is full; Redis then allows the later writes
  call('HSET', META, 'shares', ledger, 'limits', limits)
  if per ~= '0' then
    local credit = 0
    if tokens ~= '0' then
      credit = bucket - math.max(0, math.min(full - micros, tonumber(bucket)))
      credit = math.min(tonumber(bucket), math.floor(credit * tokensBefore / tokens))
    end
    full = micros + bucket - credit
    call('HSET', META, 'full', text(full))
  end
  local after = not paused and tonumber(earliest()) or math.huge
  if after < before then
    wake(after)
  end
end
local function has(key)
  local first = not paused and call('ZRANGE', key, '0', '0', 'WITHSCORES')[2]
  return first and tonumber(first) <= nowMillis and 1 or 0
end
return {whole, ledger, moment, text(full), fields[3] or '0', call('ZCARD', LEASED), has(SCHEDULED), has(LEASED)}
