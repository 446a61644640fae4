-- Releases a lock, or removes a waiter from its line, and grants the lock to the next waiters. Runs after line.lua and
-- the files before it; see LockScripts.
--
-- KEYS     counter, and the lock's keys
-- ARGV     1 the publishing command, see line.lua, 2 handle, 3 how many milliseconds to refuse the handle, or 0,
--          4 how many times the lock passed on within the client since the handle acquired it
-- Result   1 if the handle held the lock, 2 if it waited, else 0; then handle, token and milliseconds of each lock
--          that was granted to a different handle of this client
-- Cost     about 8 microseconds, and 10 for each grant
-- Repeated returns 0 and changes nothing
--
-- The server refuses a handle whose requests may still arrive, so that a late request does not acquire the lock.

local handle, refuse = ARGV[2], tonumber(ARGV[3])
look(1)
ran(tonumber(ARGV[4]))
local was = drop(handle) and 1 or (leave(handle) and 2 or 0)
if refuse > 0 then
  call('SET', GONE, 1, 'PX', refuse)
end
passOn(nil, (parse(handle)))
return notify(parse(handle), {was})
