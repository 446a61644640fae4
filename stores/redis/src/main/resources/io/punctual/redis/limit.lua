-- Sets the limits of a partition, or removes them. Runs after partition.lua (`limits`, `paused`, `earliest`),
-- shares.lua, waiting.lua and wake.lua.
--
-- KEYS     as in partition.lua
-- ARGV     1 as in partition.lua, 2 the limits of the queue: rate, microseconds, burst, concurrency; empty removes the
--          limits, which has no effect on a partition that does not exist
-- Result   1
-- Cost     a few commands
-- Repeated changes nothing; missing tokens stay missing

call('HDEL', META, '0')  -- allowed when memory is full; Redis then allows the later writes
if ARGV[2] == '' then
  limits = false
  call('HDEL', META, 'limits')
else
  local ledger = call('HGET', META, 'shares')
  if not ledger then
    ledger = emptyLedger(moment)
    if ARGV[1] ~= '1' then
      call('HSET', META, 'shares', ledger)
    end
  end
  limits = limitsOf(ARGV[2], ledger, ARGV[1])
  call('HSET', META, 'limits', limits)
end
if not limits or string.byte(ARGV[2]) == 48 then
  call('HDEL', META, 'full')
end
local next = not paused and earliest()
if next then
  wake(tonumber(next))
end
return 1
