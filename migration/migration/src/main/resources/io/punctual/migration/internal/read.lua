-- Reads staged or marked entries in the order of their due times. Runs after owner.lua.
--
-- KEYS     1 owner, 2 the sorted set
-- ARGV     1 and 2 as in owner.lua, 3 the number of entries to skip, 4 the largest number of entries,
--          5 the size in bytes after which no further entry is added
-- Result   ['S', entry, due, entry, due, ...]
-- Cost     2 microseconds an entry
-- Repeated returns the same entries

local found, bytes = {'S'}, 0
for i = tonumber(ARGV[3]), tonumber(ARGV[3]) + tonumber(ARGV[4]) - 1 do
  local entry = redis.call('ZRANGE', KEYS[2], i, i, 'WITHSCORES')
  if not entry[1] or bytes >= tonumber(ARGV[5]) then
    break
  end
  found[#found + 1] = entry[1]
  found[#found + 1] = entry[2]
  bytes = bytes + #entry[1]
end
return found
