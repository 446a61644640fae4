-- Makes sure that one importer at a time works on a source. Precedes the scripts of an importer.
--
-- KEYS     1 owner
-- ARGV     1 the name of this importer, 2 its lease in milliseconds
-- Result   ['O', name] if another importer works on the source; otherwise the next script runs
-- Cost     2 microseconds
-- Repeated renews the lease again

local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then
  return {'O', owner}
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
