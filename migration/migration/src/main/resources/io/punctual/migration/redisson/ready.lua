-- Moves entries of the ready list of Redisson to the staging, as entries that are due now. Runs after owner.lua.
--
-- KEYS     1 owner, 2 ready list, 3 staging
-- ARGV     1 and 2 as in owner.lua, 3 the largest number of entries, 4 the size in bytes after which no further
--          entry is added, 5 five random bytes
-- Result   ['S', entry, due, entry, due, ...]
-- Cost     4 microseconds an entry
-- Repeated moves the next entries
--
-- An element of the ready list is a payload. Its entry has the present format of a delayed entry; the id consists
-- of the random bytes and a number.

local READY, STAGED = KEYS[2], KEYS[3]
local MAX, BYTES = tonumber(ARGV[3]), tonumber(ARGV[4])
local time = redis.call('TIME')
local now = time[1] .. string.format('%03d', math.floor(tonumber(time[2]) / 1000))
local result, bytes, read = {'S'}, 0, 0

redis.call('LTRIM', READY, 0, -1)
redis.call('ZADD', STAGED, 'XX', 0, '')

while read < MAX and bytes < BYTES do
  local payload = redis.call('LINDEX', READY, read)
  if not payload then
    break
  end
  read = read + 1
  bytes = bytes + #payload
  local id = ARGV[5] .. string.char(math.floor(read / 65536), math.floor(read / 256) % 256, read % 256)
  result[#result + 1] = string.char(8) .. id .. struct.pack('<I8', #payload) .. payload
  result[#result + 1] = now
end
for i = 2, #result, 2 do
  redis.call('ZADD', STAGED, result[i + 1], result[i])
end
if read > 0 then
  redis.call('LTRIM', READY, read, -1)
end
return result
