-- Lists the texts of the clients whose time is not over. Runs after clock.lua.
--
-- KEYS     as in announce.lua
-- Result   [engine microseconds, then for each client its id and its text as in announce.lua]
-- Cost     about 1 microsecond a client
-- Repeated only reads

local all = call('ZRANGE', KEYS[1], '0', '-1', 'WITHSCORES')
for i = 1, #all, 2 do
  local text = tonumber(all[i + 1]) > nowMillis and call('HGET', KEYS[2], all[i])
  if text then
    reply[#reply + 1] = all[i]
    reply[#reply + 1] = text
  end
end
return reply
