-- Ends the lease of an importer, and forgets its target unless entries are staged for it.
--
-- KEYS     1 owner, 2 staging, 3 marked, 4 the target
-- ARGV     1 the name of the importer
-- Result   ['S']
-- Repeated no effect

local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then
  return {'S'}
end
redis.call('DEL', KEYS[1])
if redis.call('ZCARD', KEYS[2]) + redis.call('ZCARD', KEYS[3]) == 0 then
  redis.call('DEL', KEYS[4])
end
return {'S'}
