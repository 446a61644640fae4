-- Notes the target of an import, unless entries are staged for a different target. Runs after owner.lua.
--
-- KEYS     1 owner, 2 staging, 3 marked, 4 the target
-- ARGV     1 and 2 as in owner.lua, 3 the target
-- Result   ['S'], or ['T', target] if entries are staged for this different target
-- Repeated no effect

local staged = redis.call('ZCARD', KEYS[2]) + redis.call('ZCARD', KEYS[3])  -- fails, before any write, if a type is wrong
local known = redis.call('GET', KEYS[4])
if known and known ~= ARGV[3] and staged > 0 then
  return {'T', known}
end
redis.call('SET', KEYS[4], ARGV[3])
return {'S'}
