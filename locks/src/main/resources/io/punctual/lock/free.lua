-- Releases a lock by the id of its handle, for a caller that is not its holder, and grants it to the next waiters.
--
-- KEYS     counter, and the lock's keys
-- ARGV     1 the publishing command, 2 handle, 3 how many milliseconds to refuse the handle
-- Result   1 if the handle held the lock, else 0
-- Cost     about 10 microseconds, and 10 for each grant
-- Twice    the second time it returns 0 and changes nothing

local handle, refuse = ARGV[2], tonumber(ARGV[3])
look(1)
local was = drop(handle) and 1 or 0
call('SET', GONE, 1, 'PX', refuse)
passOn(nil)
return notify(nil, {was})
