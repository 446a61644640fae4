-- Gives a lock back at a later time: another handle takes the holder's place, which nobody renews.
--
-- KEYS     counter, and those of the lock
-- ARGV     1 how clients are told (not used), 2 handle, 3 for how many milliseconds to refuse the handle, or 0,
--          4 how many times the lock passed on within the client meanwhile (not used), 5 the other handle,
--          6 the milliseconds that its lease lasts
-- Result   1 if the handle held the lock, else 0
-- Cost     about 5 microseconds
-- Twice    it answers 1 while the other handle holds the lock, and does nothing
--
-- Renewals that arrive late name the former handle, so they do not touch the lease of the other one.

local handle, refuse, keeper, millis = ARGV[2], tonumber(ARGV[3]), ARGV[5], tonumber(ARGV[6])
look(1)
if not tokenOf(handle) then
  return {tokenOf(keeper) and 1 or 0}
end
replace(handle, keeper, millis)
if refuse > 0 then
  call('SET', GONE, 1, 'PX', refuse)
end
return {1}
