-- Checks the types of a partition's keys, and of a session, so that other scripts need not check them. Needs no other
-- file.

-- Returns an error that names the first key of a different type, or nil.
local function wrongType()
  local TYPES = {'zset', 'zset', 'hash', 'zset', 'hash', 'hash', 'hash', 'set', 'zset', 'zset', 'hash'}
  for i, wanted in ipairs(TYPES) do
    local found = KEYS[i] and redis.call('TYPE', KEYS[i]).ok or 'none'
    if found ~= wanted and found ~= 'none' then
      return redis.error_reply('WRONGTYPE ' .. KEYS[i] .. ' is a ' .. found .. ', not a ' .. wanted)
    end
  end
end
