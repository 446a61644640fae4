-- Puts staged elements back to the head of their list. Runs after owner.lua.
--
-- KEYS     1 owner, 2 the list, 3 staging, optionally 4 the hash of contents
-- ARGV     1 and 2 as in owner.lua, then entry, element, name and content of each element; the content is empty
--          without a hash
-- Result   ['S']
-- Cost     8 microseconds an element
-- Repeated no effect: an entry that is not staged is skipped
--
-- The entry leaves the staging last.

local SOURCE, STAGED, CONTENTS = KEYS[2], KEYS[3], KEYS[4]
local NONE = '\0punctual'

redis.call('LTRIM', SOURCE, 0, -1)
redis.call('ZREM', STAGED, NONE)
if CONTENTS then
  redis.call('HDEL', CONTENTS, NONE)
end

for i = #ARGV - 3, 3, -4 do
  local entry, element, content = ARGV[i], ARGV[i + 1], ARGV[i + 3]
  if redis.call('ZSCORE', STAGED, entry) then
    if CONTENTS then
      redis.call('HSETNX', CONTENTS, element, content)
    end
    redis.call('LPUSH', SOURCE, element)
    redis.call('ZREM', STAGED, entry)
  end
end
return {'S'}
