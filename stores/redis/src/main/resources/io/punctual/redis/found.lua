-- Tells a partition how many partitions its queue has, unless it knows: the first partition before the others.
--
-- KEYS     1 meta
-- ARGV     1 the number of partitions
-- Result   the number of partitions that the partition knows of now
-- Cost     a few commands
-- Twice    the same answer

local FORMAT = '1'

redis.call('HDEL', KEYS[1], '0')  -- after a write that could free, the others pass when memory is full
local meta = redis.call('HMGET', KEYS[1], 'format', 'partitions')
if not meta[1] then
  redis.call('HSET', KEYS[1], 'format', FORMAT, 'partitions', ARGV[1])
  return ARGV[1]
end
return meta[2]
