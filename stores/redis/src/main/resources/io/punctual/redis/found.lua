-- Tells a partition how many partitions its queue has, unless it knows: the first partition before the others.
--
-- KEYS     partition
-- ARGV     1 the number of partitions, 2 1 if the first partition knows this number
-- Result   the number of partitions that the partition knows of now
-- Cost     a few commands
-- Twice    the same answer
--
-- An empty partition with a number that differs from the first partition's is left over from a deletion; it takes the new
-- number. A deletion of the queue that runs meanwhile ends, see remove.lua.

local FORMAT = '1'
local call, META = redis.call, KEYS[7]

call('HDEL', META, '0', 'deletion')  -- a command that may free memory makes Redis allow later writes
local meta = call('HMGET', META, 'format', 'partitions')
local isLeftOver = meta[1] and meta[2] ~= ARGV[1] and ARGV[2] == '1'
    and call('ZCARD', KEYS[1]) + call('ZCARD', KEYS[2]) + call('ZCARD', KEYS[4]) == 0
if not meta[1] or isLeftOver then
  call('HSET', META, 'format', meta[1] or FORMAT, 'partitions', ARGV[1])
  return ARGV[1]
end
return meta[2]
