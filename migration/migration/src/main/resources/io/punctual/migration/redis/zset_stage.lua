-- Moves entries of a sorted set, with their contents, to the staging. Runs after owner.lua.
--
-- KEYS     1 owner, 2 the sorted set, 3 staging, optionally 4 the hash of contents
-- ARGV     1 and 2 as in owner.lua, then member, score and due time of each entry
-- Result   ['S', entry, due, entry, due, ...], the staged entries
-- Cost     8 microseconds an entry
-- Repeated no effect: an entry that has left the set is skipped
--
-- An entry whose score has changed since it was read, or whose content is missing, is skipped. A staged entry is
-- 'z', then the score, the member and the content, each after its length; the length of a missing content is -1.
-- The first writes change nothing; they fail if a right is missing or a key has a wrong type. An entry is in the
-- staging before it leaves the set.

local SOURCE, STAGED, CONTENTS = KEYS[2], KEYS[3], KEYS[4]
local NONE = '\0punctual'

redis.call('ZREM', SOURCE, NONE)
redis.call('ZADD', STAGED, 'XX', 0, NONE)
if CONTENTS then
  redis.call('HDEL', CONTENTS, NONE)
end

local result = {'S'}
for i = 3, #ARGV, 3 do
  local member, score, due = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local content = CONTENTS and redis.call('HGET', CONTENTS, member)
  if redis.call('ZSCORE', SOURCE, member) == score and (content or not CONTENTS) then
    local entry = 'z' .. struct.pack('>i4', #score) .. score .. struct.pack('>i4', #member) .. member
    entry = entry .. struct.pack('>i4', content and #content or -1) .. (content or '')
    redis.call('ZADD', STAGED, due, entry)
    if CONTENTS then
      redis.call('HDEL', CONTENTS, member)
    end
    redis.call('ZREM', SOURCE, member)
    result[#result + 1] = entry
    result[#result + 1] = due
  end
end
return result
