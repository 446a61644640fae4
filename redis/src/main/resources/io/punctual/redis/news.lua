-- Tells other clients that one has taken what was due, and when something is due again.
--
-- KEYS     lane
-- ARGV     1 lanes, 2 how to publish hints, as in operations.lua, 3 token of the claim, 4 name of the
--          client, 5 full if it may have no room for more, or nothing
-- Result   1; 0 if a newer claim has taken something, of which others are told
-- Cost     a few commands
-- Twice    the same again
--
-- It publishes the microseconds until something is due, or none, the token, the name of the client, and
-- the word full.

if paused or meta[4] ~= ARGV[3] then
  return 0
end
local next = earliest()
local rest = next and text(math.max(0, tonumber(next) * 1000 - micros)) or 'none'
local word = ARGV[5] == '' and '' or ' ' .. ARGV[5]
local command, channel = string.match(ARGV[2], '^(%u+) (.*)$')
redis.pcall(command, channel, rest .. ' ' .. ARGV[3] .. ' ' .. ARGV[4] .. word)
return 1
