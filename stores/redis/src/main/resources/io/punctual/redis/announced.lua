-- Lists the texts of some or all clients whose time is not over. Runs after clock.lua.
--
-- KEYS     as in announce.lua
-- ARGV     the clients; none for all clients
-- Result   [engine microseconds, then for each client its id and its text as in announce.lua]
-- Cost     about 1 microsecond a client
-- Repeated only reads

local function list(client, ends)
  local text = ends and tonumber(ends) > nowMillis and call('HGET', KEYS[2], client)
  if text then
    reply[#reply + 1] = client
    reply[#reply + 1] = text
  end
end

for _, client in ipairs(ARGV) do
  list(client, call('ZSCORE', KEYS[1], client))
end
if #ARGV == 0 then
  local all = call('ZRANGE', KEYS[1], '0', '-1', 'WITHSCORES')
  for i = 1, #all, 2 do
    list(all[i], all[i + 1])
  end
end
return reply
