-- Releases a lock that is a string key: deletes the key if it has the expected value. For simple locks, and for the
-- part of a quorum lock on one server.
--
-- KEYS     held
-- ARGV     1 the value that the key must hold
-- Result   1 if the key was deleted, else 0
-- Cost     about 2 microseconds
-- Repeated returns 0 and changes nothing

if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
return redis.call('DEL', KEYS[1])
