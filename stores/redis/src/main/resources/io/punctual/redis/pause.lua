-- Pauses a partition, or resumes it.
--
-- KEYS     partition
-- ARGV     1 partitions, 2 1 to pause, 0 to resume, which has no effect on a partition that does not exist
-- Result   1
-- Cost     a few commands
-- Twice    the same again

call('HDEL', META, '0')  -- a command that may free memory makes Redis allow later writes
if ARGV[2] == '1' then
  call('HSET', META, 'paused', '1')
  return 1
end
call('HDEL', META, 'paused')
local next = paused and earliest()
if next then
  wake(tonumber(next))
end
return 1
