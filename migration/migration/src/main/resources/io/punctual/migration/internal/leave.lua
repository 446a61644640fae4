-- Ends the lease of an importer.
--
-- KEYS     1 owner
-- ARGV     1 the name of the importer
-- Result   ['S']
-- Twice    no effect

if redis.call('GET', KEYS[1]) == ARGV[1] then
  redis.call('DEL', KEYS[1])
end
return {'S'}
