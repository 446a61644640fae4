-- Tells a lane how many lanes its queue has, unless it knows: the first lane before the others.
--
-- KEYS     1 meta
-- ARGV     1 the number of lanes
-- Result   the number of lanes that the lane knows of now
-- Cost     a few commands
-- Twice    the same answer

local FORMAT = '1'

redis.call('HDEL', KEYS[1], '0')  -- after a write that could free, the others pass when memory is full
local meta = redis.call('HMGET', KEYS[1], 'format', 'lanes')
if not meta[1] then
  redis.call('HSET', KEYS[1], 'format', FORMAT, 'lanes', ARGV[1])
  return ARGV[1]
end
return meta[2]
