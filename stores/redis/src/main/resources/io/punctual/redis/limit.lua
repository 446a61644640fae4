-- Sets the limits of a partition, or removes them. Runs after partition.lua (`limits`, `paused`, `earliest`), waiting.lua
-- and wake.lua.
--
-- KEYS     as in partition.lua
-- ARGV     1 as in partition.lua, 2 the field `limits` as in limits.lua; empty removes the limits, which has no effect on a
--          partition that does not exist
-- Result   1
-- Cost     a few commands
-- Twice    it changes nothing; tokens that are missing stay missing

call('HDEL', META, '0')  -- a command that may free memory makes Redis allow later writes
limits = ARGV[2] ~= '' and ARGV[2]
if limits then
  call('HSET', META, 'limits', limits)
else
  call('HDEL', META, 'limits')
end
if not limits or string.byte(limits) == 48 then
  call('HDEL', META, 'full')
end
local next = not paused and earliest()
if next then
  wake(tonumber(next))
end
return 1
