-- Lets the lease of one server's part of a quorum lock last for so long from now on, unless it lasts longer.
--
-- KEYS     held
-- ARGV     1 handle, 2 lease in milliseconds, 3 whether to take it (1, 0) if nobody has it
-- Result   1 if the handle has it, 0 if another has, -1 if nobody had
-- Cost     about 3 microseconds
-- Twice    the lease ends later

local holder = redis.call('GET', KEYS[1])
if holder == ARGV[1] then
  redis.call('PEXPIRE', KEYS[1], math.max(tonumber(ARGV[2]), redis.call('PTTL', KEYS[1])))
  return 1
elseif holder then
  return 0
end
if ARGV[3] == '1' then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return -1
