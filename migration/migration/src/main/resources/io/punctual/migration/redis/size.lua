-- Counts the entries of a sorted set, or the elements of a list. Changes nothing.
--
-- KEYS     1 the key
-- ARGV     1 the command, ZCARD or LLEN
-- Result   [number]
-- Cost     1 microsecond

return {redis.call(ARGV[1], KEYS[1])}
