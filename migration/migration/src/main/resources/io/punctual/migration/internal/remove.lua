-- Removes marked entries. Runs after owner.lua.
--
-- KEYS     1 owner, 2 marked
-- ARGV     1 and 2 as in owner.lua, then the entries
-- Result   ['S']
-- Cost     1 microsecond an entry
-- Repeated no effect

for i = 3, #ARGV do
  redis.call('ZREM', KEYS[2], ARGV[i])
end
return {'S'}
