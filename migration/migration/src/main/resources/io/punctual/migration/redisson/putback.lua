-- Puts staged entries back into the delayed queue of Redisson. Runs after owner.lua.
--
-- KEYS     1 owner, 2 list of entries, 3 sorted set of due times, 4 staging, 5 channel
-- ARGV     1 and 2 as in owner.lua, then the entries
-- Result   ['S']
-- Cost     5 microseconds an entry
-- Repeated no effect: an entry that is not staged is skipped
--
-- The entry leaves the staging last. The message on the channel makes Redisson's clients look at the queue.

local LIST, DUES, STAGED, CHANNEL = KEYS[2], KEYS[3], KEYS[4], KEYS[5]

redis.call('LTRIM', LIST, 0, -1)
redis.call('ZADD', DUES, 'XX', 0, '')
redis.call('ZREM', STAGED, '')

for i = 3, #ARGV do
  local due = redis.call('ZSCORE', STAGED, ARGV[i])
  if due then
    redis.call('RPUSH', LIST, ARGV[i])
    redis.call('ZADD', DUES, due, ARGV[i])
    redis.call('ZREM', STAGED, ARGV[i])
  end
end
local head = redis.call('ZRANGE', DUES, 0, 0, 'WITHSCORES')
if head[2] then
  redis.call('PUBLISH', CHANNEL, head[2])
end
return {'S'}
