-- Ends the registration of a waiting client, which leaves or has no room. If the client was on duty, the next
-- client goes on duty. Runs after partition.lua (`paused`, `earliest`), waiting.lua and wake.lua.
--
-- KEYS     as in partition.lua
-- ARGV     1 as in partition.lua, 2 the client as in waiting.lua
-- Result   1, or 0 if the client did not wait
-- Cost     a few commands
-- Repeated returns 0 and changes nothing

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
