-- Moves entries of a delayed queue of Redisson to the staging. Runs after owner.lua.
--
-- KEYS     1 owner, 2 list of entries, 3 sorted set of due times, 4 staging, 5 list of entries without a due time
-- ARGV     1 and 2 as in owner.lua, 3 the largest number of entries, 4 the size in bytes after which no further
--          entry is added, 5 1 to take due times without an entry in the list, else empty
-- Result   ['S', entries without a due time, due times without an entry, entry, due, entry, due, ...]
-- Cost     5 microseconds an entry
-- Repeated stages the next entries
--
-- The order of the writes: an error before the first write changes nothing, and an entry is in the staging before
-- it leaves the queue. The first writes change nothing; they fail if a right is missing or a key has a wrong type.

local LIST, DUES, STAGED, UNSCORED = KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local MAX, BYTES = tonumber(ARGV[3]), tonumber(ARGV[4])
local staged, unscored, bytes, read = {}, {}, 0, 0

redis.call('LTRIM', LIST, 0, -1)
redis.call('ZREM', DUES, '')
redis.call('ZADD', STAGED, 'XX', 0, '')
redis.call('LLEN', UNSCORED)

while read < MAX and bytes < BYTES do
  local entry = redis.call('LINDEX', LIST, read)
  if not entry then
    break
  end
  local due = redis.call('ZSCORE', DUES, entry)
  if due then
    staged[#staged + 1] = entry
    staged[#staged + 1] = due
  else
    unscored[#unscored + 1] = entry
  end
  bytes = bytes + #entry
  read = read + 1
end

for _, entry in ipairs(unscored) do
  redis.call('RPUSH', UNSCORED, entry)
end
for i = 1, #staged, 2 do
  redis.call('ZADD', STAGED, staged[i + 1], staged[i])
end
for i = 1, #staged, 2 do
  redis.call('ZREM', DUES, staged[i])
end
if read > 0 then
  redis.call('LTRIM', LIST, read, -1)
end

local orphans = 0
if ARGV[5] == '1' and read < MAX and redis.call('LLEN', LIST) == 0 then
  while read < MAX and bytes < BYTES do
    local entry = redis.call('ZRANGE', DUES, 0, 0, 'WITHSCORES')
    if not entry[1] then
      break
    end
    redis.call('ZADD', STAGED, entry[2], entry[1])
    redis.call('ZREM', DUES, entry[1])
    staged[#staged + 1] = entry[1]
    staged[#staged + 1] = entry[2]
    bytes = bytes + #entry[1]
    read = read + 1
    orphans = orphans + 1
  end
end

local result = {'S', #unscored, orphans}
for i = 1, #staged do
  result[i + 3] = staged[i]
end
return result
