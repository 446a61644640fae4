-- Makes a change, which Redis writes to its append-only file, and undoes the change.
--
-- KEYS     1 a key that no other client uses
-- Result   1
-- Cost     three commands
-- Repeated same effect and result
--
-- Begins with a command that may free memory, so that Redis allows the later writes when memory is full.

redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'probe', '1')
redis.call('DEL', KEYS[1])
return 1
