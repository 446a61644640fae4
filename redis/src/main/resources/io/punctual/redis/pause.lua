-- Pauses a lane, or resumes it.
--
-- KEYS     lane
-- ARGV     1 lanes, 2 how to publish hints, as in operations.lua, 3 1 to pause, 0 to resume
-- Result   1
-- Cost     a few commands
-- Twice    the same again

call('HDEL', META, 'paused')  -- after a write that frees, the others pass when memory is full
if not meta[1] then
  call('HSET', META, 'format', FORMAT, 'lanes', ARGV[1])
end
if ARGV[3] == '1' then
  call('HSET', META, 'paused', '1')
  return 1
end
local next = paused and earliest()
if next then
  local command, channel = string.match(ARGV[2], '^(%u+) (.*)$')
  if command then
    redis.pcall(command, channel, text(math.max(0, tonumber(next) * 1000 - micros)))
  end
end
return 1
