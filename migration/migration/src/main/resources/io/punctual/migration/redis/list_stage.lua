-- Moves elements of a list to the staging, as entries that are due now. Runs after owner.lua.
--
-- KEYS     1 owner, 2 the list, 3 staging, optionally 4 the hash of contents
-- ARGV     1 and 2 as in owner.lua, 3 random characters, 4 1 to test the right to remove elements, then
--          the elements
-- Result   ['S', entry, due, entry, due, ...], the staged entries
-- Cost     8 microseconds an element at the head of the list; the test passes through the whole list
-- Repeated moves elements only if the list has them again
--
-- An element that has left the list, or whose content is missing, is skipped. A staged entry is 'l', then a unique
-- name, the element and the content, each after its length. The name consists of the random characters and a
-- number, because a list may have equal elements; with a hash it is empty. The first writes change nothing; they
-- fail if a right is missing or a key has a wrong type. An element is in the staging before it leaves the list.

local SOURCE, STAGED, CONTENTS = KEYS[2], KEYS[3], KEYS[4]
local NONE = '\0punctual'
local time = redis.call('TIME')
local now = time[1] .. string.format('%03d', math.floor(tonumber(time[2]) / 1000))

redis.call('LTRIM', SOURCE, 0, -1)
if ARGV[4] == '1' then
  redis.call('LREM', SOURCE, 1, NONE)
end
redis.call('ZADD', STAGED, 'XX', 0, NONE)
if CONTENTS then
  redis.call('HDEL', CONTENTS, NONE)
end

local result = {'S'}
for i = 5, #ARGV do
  local element = ARGV[i]
  local content = CONTENTS and redis.call('HGET', CONTENTS, element)
  if redis.call('LPOS', SOURCE, element) and (content or not CONTENTS) then
    local name = CONTENTS and '' or ARGV[3] .. '-' .. (i - 4)
    local entry = 'l' .. struct.pack('>i4', #name) .. name .. struct.pack('>i4', #element) .. element
    entry = entry .. struct.pack('>i4', content and #content or -1) .. (content or '')
    redis.call('ZADD', STAGED, now, entry)
    if CONTENTS then
      redis.call('HDEL', CONTENTS, element)
    end
    redis.call('LREM', SOURCE, 1, element)
    result[#result + 1] = entry
    result[#result + 1] = now
  end
end
return result
