-- Gives a lock back, or up waiting for it, and passes it on.
--
-- KEYS     counter, and those of the lock
-- ARGV     1 how clients are told, 2 handle, 3 for how many milliseconds to refuse the handle, or 0,
--          4 how many times the lock passed on within the client meanwhile
-- Result   1 if the handle held the lock, 2 if it waited, else 0; then handle, token and milliseconds
--          of each lock that passed to another handle of this client
-- Cost     about 8 microseconds, and 10 for each grant
-- Twice    the second time it answers 0 and does nothing
--
-- To refuse the handle is for those whose questions may still be under way: none gets it the lock
-- afterwards.

local handle, refuse = ARGV[2], tonumber(ARGV[3])
look(1)
ran(tonumber(ARGV[4]))
local was = drop(handle) and 1 or (leave(handle) and 2 or 0)
if refuse > 0 then
  call('SET', GONE, 1, 'PX', refuse)
end
passOn(nil, (parse(handle)))
return tell(parse(handle), {was})
