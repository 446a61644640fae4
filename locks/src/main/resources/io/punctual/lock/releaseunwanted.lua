-- Releases an exclusive lock that the handle holds and that has no waiters. It leaves all other requests to
-- release.lua, before any write and before the creation of release.lua's functions.
--
-- KEYS     see bucket.lua and exclusive.lua
-- ARGV     see release.lua
-- Result   see release.lua
-- Cost     see acquirefree.lua
-- Twice    the second time the handle does not hold the lock

if ARGV[3] == '0' and redis.call('EXISTS', KEYS[3]) == 0 then
  local held, holder = redis.call('GET', KEYS[2]), ARGV[2] .. ' '
  if held and string.sub(held, 1, #holder) == holder then
    redis.call('DEL', KEYS[2])
    return {1}
  end
end
