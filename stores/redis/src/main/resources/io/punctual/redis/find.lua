-- Finds a message. Puts it back if it is in no place. Runs after partition.lua, waiting.lua, wake.lua, putback.lua
-- (`putBack`) and entries.lua (`addEntry`).
--
-- KEYS     as in partition.lua
-- ARGV     1 as in partition.lua, 2 id
-- Result   [engine milliseconds, place: S, L, D or F, and an entry], or [engine milliseconds]
-- Cost     a few look-ups
-- Repeated same result

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
if id ~= '' and (call('HGET', LEASES, id) or call('HSTRLEN', MESSAGES, id) > 0) then
  call('HDEL', META, '0')  -- allowed when memory is full; Redis then allows the later writes
  putBack({id})
  reply[2] = 'L'
  addEntry(reply, id, text(nowMillis), 'L')
end
return reply
