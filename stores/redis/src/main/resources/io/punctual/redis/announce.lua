-- Keeps the text of a client for a time, and forgets some texts whose time is over. Runs after clock.lua.
--
-- KEYS     1 the clients by the end of their time, 2 their texts: milliseconds of the last renewal, a space, the text
-- ARGV     1 the client, 2 the text, or empty to remove it, 3 the time in milliseconds
-- Result   [the number of clients with workers: notes are kept for longer than CLIENT_MILLIS]
-- Cost     a few commands
-- Repeated renews the time

local ENDS, TEXTS = KEYS[1], KEYS[2]
local CLIENT, TEXT, KEEP = ARGV[1], ARGV[2], tonumber(ARGV[3])
local CLIENT_MILLIS = 30000

local function text(number)
  return string.format('%.0f', number)
end

local function forget(client)
  call('ZREM', ENDS, client)
  call('HDEL', TEXTS, client)
end

local function clients()
  return {call('ZCOUNT', ENDS, '(' .. text(nowMillis), text(nowMillis + CLIENT_MILLIS))}
end

local oldest = call('ZRANGE', ENDS, '0', '9', 'WITHSCORES')
for i = 1, #oldest, 2 do
  if tonumber(oldest[i + 1]) <= nowMillis then
    forget(oldest[i])
  end
end
if TEXT == '' then
  forget(CLIENT)
  return clients()
end
call('ZADD', ENDS, text(nowMillis + KEEP), CLIENT)
call('HSET', TEXTS, CLIENT, text(nowMillis) .. ' ' .. TEXT)
local seconds = math.ceil(KEEP / 1000) + 1
call('EXPIRE', ENDS, seconds)
call('EXPIRE', TEXTS, seconds)
return clients()
