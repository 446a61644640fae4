-- The fast path of release.lua, in the same script: releases an exclusive lock that the handle holds and that has no
-- waiters. All other requests continue with the next files, before any write and before these files define their
-- functions. (acquirefree.lua is the fast path of acquire.lua.)
--
-- KEYS     see bucket.lua and exclusive.lua
-- ARGV     see release.lua
-- Result   see release.lua
-- Cost     see acquirefree.lua
-- Repeated the handle no longer holds the lock, so release.lua returns 0

if ARGV[3] == '0' and redis.call('EXISTS', KEYS[3]) == 0 then
  local held, holder = redis.call('GET', KEYS[2]), ARGV[2] .. ' '
  if held and string.sub(held, 1, #holder) == holder then
    redis.call('DEL', KEYS[2])
    return {1}
  end
end
