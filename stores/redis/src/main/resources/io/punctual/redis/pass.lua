-- A client stops waiting, since it leaves or has no room. If it was on duty, the next client goes on duty.
--
-- KEYS     partition
-- ARGV     1 partitions, 2 the client, as in waiting.lua
-- Result   1, or 0 if the client did not wait
-- Cost     a few commands
-- Twice    the same again

local score = call('ZSCORE', WAITING, ARGV[2])
if not score then
  return 0
end
call('ZREM', WAITING, ARGV[2])
local next = tonumber(score) >= DUTY and not paused and earliest()
if next then
  wake(tonumber(next))
end
return 1
