-- Takes one exclusive lock that is free and that nobody waits for, asked for the first time. Whatever is not so
-- simple is left to acquire.lua, before anything is written and before its functions are made.
--
-- KEYS     as bucket.lua and exclusive.lua say
-- ARGV     as acquire.lua says
-- Result   as acquire.lua says
-- Cost     with releaseunwanted.lua a little more than half of acquire.lua's and release.lua's
-- Twice    the second time it is no longer free

if #KEYS == 5 and ARGV[4] == '0' and redis.call('EXISTS', KEYS[2], KEYS[3], KEYS[5]) == 0 then
  local mode, lease = string.match(ARGV[2], ':(%a):(%d+)$')
  local time = redis.call('TIME')
  local last = tonumber(redis.call('GET', KEYS[1]) or 0)
  local token = math.max(last + 1, time[1] * 1000000 + time[2])
  local more = mode == 'x' and LONGEST_RUN - 1 or 0  -- tokens set aside, as hold() in exclusive.lua does
  redis.call('SET', KEYS[1], string.format('%.0f', token + more))
  local began = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('SET', KEYS[2], ARGV[2] .. string.format(' %.0f 0 %.0f', token, began), 'PX', lease)
  return {'G', token, tonumber(lease)}
end
