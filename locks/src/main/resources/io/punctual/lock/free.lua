-- Gives a lock back by the id of its handle, for somebody else than its holder, and passes it on.
--
-- KEYS     counter, and those of the lock
-- ARGV     1 how clients are told, 2 handle, 3 for how many milliseconds to refuse the handle
-- Result   1 if the handle held the lock, else 0
-- Cost     about 10 microseconds, and 10 for each grant
-- Twice    the second time it answers 0 and does nothing

local handle, refuse = ARGV[2], tonumber(ARGV[3])
look(1)
local was = drop(handle) and 1 or 0
call('SET', GONE, 1, 'PX', refuse)
passOn(nil)
return tell(nil, {was})
