-- Reads entries of a delayed queue of Redisson. Changes nothing.
--
-- KEYS     1 list of entries, 2 sorted set of due times
-- ARGV     1 the number of entries to skip, 2 the largest number of entries, 3 the size in bytes after which no
--          further entry is added
-- Result   ['S', entry, due or an empty string, ...]
-- Cost     3 microseconds an entry
-- Repeated returns the same entries

local result, bytes = {'S'}, 0
for i = tonumber(ARGV[1]), tonumber(ARGV[1]) + tonumber(ARGV[2]) - 1 do
  local entry = redis.call('LINDEX', KEYS[1], i)
  if not entry or bytes >= tonumber(ARGV[3]) then
    break
  end
  result[#result + 1] = entry
  result[#result + 1] = redis.call('ZSCORE', KEYS[2], entry) or ''
  bytes = bytes + #entry
end
return result
