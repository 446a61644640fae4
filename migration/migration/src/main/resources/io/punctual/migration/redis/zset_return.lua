-- Puts staged entries back into their sorted set. Runs after owner.lua.
--
-- KEYS     1 owner, 2 the sorted set, 3 staging, optionally 4 the hash of contents
-- ARGV     1 and 2 as in owner.lua, then entry, member, score and content of each entry; the content is empty
--          without a hash
-- Result   ['S']
-- Cost     8 microseconds an entry
-- Repeated no effect: an entry that is not staged is skipped
--
-- A member that the set has again keeps its newer score and content. The entry leaves the staging last.

local SOURCE, STAGED, CONTENTS = KEYS[2], KEYS[3], KEYS[4]
local NONE = '\0punctual'

redis.call('ZADD', SOURCE, 'XX', 0, NONE)
redis.call('ZREM', STAGED, NONE)
if CONTENTS then
  redis.call('HDEL', CONTENTS, NONE)
end

for i = 3, #ARGV, 4 do
  local entry, member, score, content = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  if redis.call('ZSCORE', STAGED, entry) then
    if CONTENTS then
      redis.call('HSETNX', CONTENTS, member, content)
    end
    redis.call('ZADD', SOURCE, 'NX', score, member)
    redis.call('ZREM', STAGED, entry)
  end
end
return {'S'}
