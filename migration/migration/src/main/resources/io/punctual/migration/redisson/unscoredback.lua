-- Puts entries without a due time back into the list of the delayed queue. Runs after owner.lua.
--
-- KEYS     1 owner, 2 list of entries, 3 list of entries without a due time
-- ARGV     1 and 2 as in owner.lua, 3 the largest number of entries
-- Result   ['S', number of moved entries]
-- Cost     2 microseconds an entry
-- Repeated moves the next entries

local moved = 0
while moved < tonumber(ARGV[3]) and redis.call('RPOPLPUSH', KEYS[3], KEYS[2]) do
  moved = moved + 1
end
return {'S', moved}
