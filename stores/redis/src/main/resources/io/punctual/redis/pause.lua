-- Pauses a partition, or resumes it. Runs after partition.lua (`paused`, `earliest`), waiting.lua and wake.lua.
--
-- KEYS     as in partition.lua
-- ARGV     1 as in partition.lua, 2 1 to pause, 0 to resume; to resume a partition that does not exist has no effect,
--          3 the note of the pause, or empty
-- Result   1
-- Cost     a few commands
-- Repeated changes nothing

call('HDEL', META, '0')  -- allowed when memory is full; Redis then allows the later writes
if ARGV[2] == '1' then
  call('HSET', META, 'paused', '1', 'note', ARGV[3])
  return 1
end
call('HDEL', META, 'paused', 'note')
local next = paused and earliest()
if next then
  wake(tonumber(next))
end
return 1
