-- Releases a lock at a later time: a keeper, which is a new handle without renewals, replaces the holder. Runs after
-- bucket.lua, and exclusive.lua or shared.lua.
--
-- KEYS     counter, and the lock's keys
-- ARGV     1 to 4 as in release.lua (1 and 4 are not used), 5 the keeper's handle, 6 the keeper's lease in
--          milliseconds, 7 whether the request is repeated (0, 1)
-- Result   1 if the handle held the lock, else 0; 'I' without effect if the keeper's id belongs to a different handle,
--          see acquire.lua
-- Cost     about 5 microseconds
-- Repeated returns 1 while the keeper holds the lock, and changes nothing
--
-- Late renewals name the former handle, so they do not change the keeper's lease.

local handle, refuse, keeper, millis = ARGV[2], tonumber(ARGV[3]), ARGV[5], tonumber(ARGV[6])
look(1)
if ARGV[7] == '0' and tokenOf(keeper) then
  return {'I'}
end
if not tokenOf(handle) then
  return {tokenOf(keeper) and 1 or 0}
end
replace(handle, keeper, millis)
if refuse > 0 then
  call('SET', GONE, 1, 'PX', refuse)
end
return {1}
