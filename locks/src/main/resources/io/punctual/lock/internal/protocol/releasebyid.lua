-- Releases the permits of a semaphore's handle for a caller that only knows the handle's id, and grants them to the
-- next waiters. Runs after bucket.lua, shared.lua and line.lua. Holders release with release.lua.
--
-- KEYS     counter, and the semaphore's keys
-- ARGV     1 the publishing command, see line.lua, 2 handle, 3 how many milliseconds to refuse the handle
-- Result   1 if the handle held its permits, else 0
-- Cost     about 10 microseconds, and 10 for each grant
-- Repeated returns 0 and changes nothing

local handle, refuse = ARGV[2], tonumber(ARGV[3])
look(1)
local was = drop(handle) and 1 or 0
call('SET', GONE, 1, 'PX', refuse)
passOn(nil)
return notify(nil, {was})
