-- Reads a string. Changes nothing.
--
-- KEYS     1 the key
-- Result   [value], or [nothing] if the key is absent
-- Cost     1 microsecond

return {redis.call('GET', KEYS[1])}
