-- Finds a message. Runs after partition.lua and entries.lua (`addEntry`).
--
-- KEYS     as in partition.lua
-- ARGV     1 as in partition.lua, 2 id
-- Result   [engine milliseconds, place: S, L, D or F, and an entry], or [engine milliseconds]
-- Cost     a few look-ups
-- Repeated only reads

local id = ARGV[2]
local reply = {text(nowMillis)}
for _, place in ipairs({{'S', SCHEDULED}, {'L', LEASED}, {'D', DEAD}, {'F', DONE}}) do
  local score = call('ZSCORE', place[2], id)
  if score and (place[1] ~= 'F' or tonumber(score) > nowMillis) then
    reply[2] = place[1]
    addEntry(reply, id, score, place[1])
    return reply
  end
end
return reply
