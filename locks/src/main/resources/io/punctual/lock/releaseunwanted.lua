-- Gives back an exclusive lock that the handle holds and nobody waits for. Whatever is not so simple is left to
-- release.lua, before anything is written and before its functions are made.
--
-- KEYS     as bucket.lua and exclusive.lua say
-- ARGV     as release.lua says
-- Result   as release.lua says
-- Cost     see acquirefree.lua
-- Twice    the second time the handle does not hold it

if ARGV[3] == '0' and redis.call('EXISTS', KEYS[3]) == 0 then
  local held, holder = redis.call('GET', KEYS[2]), ARGV[2] .. ' '
  if held and string.sub(held, 1, #holder) == holder then
    redis.call('DEL', KEYS[2])
    return {1}
  end
end
