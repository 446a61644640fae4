-- The fast path of acquire.lua, in the same script: grants a single exclusive lock that is free and has no waiters,
-- upon a first request. All other requests continue with the next files, before any write and before these files
-- define their functions. (releaseunwanted.lua is the fast path of release.lua.)
--
-- KEYS     see bucket.lua and exclusive.lua
-- ARGV     see acquire.lua
-- Result   see acquire.lua
-- Cost     together with releaseunwanted.lua, a little more than half of the cost of acquire.lua and release.lua
-- Repeated does not acquire the lock, because the lock is no longer free

if #KEYS == 5 and ARGV[4] == '0' and redis.call('EXISTS', KEYS[2], KEYS[3], KEYS[5]) == 0 then
  local mode, lease = string.match(ARGV[2], ':(%a):(%d+)$')
  local time = redis.call('TIME')
  local last = tonumber(redis.call('GET', KEYS[1]) or 0)
  local token = math.max(last + 1, time[1] * 1000000 + time[2])
  local more = mode == 'x' and LONGEST_RUN - 1 or 0  -- reserved tokens, as in hold() of exclusive.lua
  redis.call('SET', KEYS[1], string.format('%.0f', token + more))
  local began = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('SET', KEYS[2], ARGV[2] .. string.format(' %.0f 0 %.0f', token, began), 'PX', lease)
  return {'G', token, tonumber(lease)}
end
