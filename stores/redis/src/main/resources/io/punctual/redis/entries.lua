-- The form of a message in the replies of find.lua and browse.lua. Runs after partition.lua.
--
-- An entry consists of five values: id, score, lease or nil, content or nil, retries or nil. A lease is "token
-- due/holder attempt", followed by " c" if the message was cancelled; retries are "attempts due history".

local function addEntry(reply, id, score, place)
  local n = #reply
  reply[n + 1], reply[n + 2] = id, score
  reply[n + 3] = place == 'L' and call('HGET', LEASES, id)
  reply[n + 4], reply[n + 5] = call('HGET', MESSAGES, id), call('HGET', RETRIES, id)
end
