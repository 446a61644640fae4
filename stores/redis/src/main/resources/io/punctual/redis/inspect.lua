-- Looks for messages that are in no place, and puts them back: see putback.lua. Runs after partition.lua, waiting.lua,
-- wake.lua and putback.lua.
--
-- KEYS     as in partition.lua
-- ARGV     1 as in partition.lua, 2 a cursor as in the result; empty for the regular inspection
-- Result   [the next cursor; empty if there is nothing left to read, the number of messages put back, how many of them
--          have no due time, 1 if the key `messages` was lost or replaced, else 0, then up to MOST_NAMED ids of these
--          messages]
-- Cost     some ten commands; about 2 microseconds an entry that is read
-- Repeated changes nothing more
--
-- If there are more records than places, then messages are in no place, and the regular inspection returns the cursor at
-- which the client begins to read all records. Otherwise it reads up to STEP records every PAUSE_MILLIS, whichever client
-- asks, because a key that was replaced with an old copy can have as many entries as before.
--
-- From the creation of the partition on, `messages` has a field with an empty name, which equals `witness` in `meta`, and
-- changes with each regular inspection that reads records. If the two differ, then the key was lost or replaced by an old
-- copy, and with it perhaps messages of which nothing else is left. A partition that a client of an earlier release has
-- created has no `witness` until its first inspection.

local STEP, PAUSE_MILLIS, MOST_NAMED = 100, 5000, 10
local HASHES = {leases = LEASES, messages = MESSAGES}
local FIRST, SECOND = 'leases 0', 'messages 0'
local cursor = ARGV[2]

if not meta[1] then
  return {'', 0, 0, 0}
end

call('HDEL', META, '0')  -- allowed when memory is full; Redis then allows the later writes
local fields = call('HMGET', META, 'witness', 'inspected')
local witness = call('HGET', MESSAGES, '')
local lost = fields[1] and witness ~= fields[1] and 1 or 0
if witness ~= fields[1] or not witness then
  call('HSET', MESSAGES, '', moment)
  call('HSET', META, 'witness', moment)
end

local regular = cursor == ''
if regular then
  local leased = call('ZCARD', LEASED)
  if call('HLEN', LEASES) > leased
      or call('HLEN', MESSAGES) - 1 > call('ZCARD', SCHEDULED) + leased + call('ZCARD', DEAD) then
    return {FIRST, 0, 0, lost}
  end
  local last, at = string.match(fields[2] or '', '^(%d+) (%a+ %d+)$')
  if last and math.abs(nowMillis - last) < PAUSE_MILLIS then
    return {'', 0, 0, lost}
  end
  cursor = HASHES[string.match(at or '', '^%a+')] and at or FIRST
end

local name, position = string.match(cursor, '^(%a+) (%d+)$')
local size = math.max(1, math.min(STEP, math.floor(REPLY_BYTES / math.max(1, largest))))
local page = call('HSCAN', HASHES[name], position, 'COUNT', size)
local ids = {}
for k = 1, #page[2], 2 do
  if page[2][k] ~= '' then
    ids[#ids + 1] = page[2][k]
  end
end
local unleased = absent(LEASED, ids)
local placeless = absent(DEAD, absent(SCHEDULED, unleased))
local homeless = {}
if name == 'leases' then
  homeless = placeless
  if #placeless < #unleased then  -- records of messages that are not leased any more
    local isHomeless, stale = {}, {}
    for _, id in ipairs(placeless) do
      isHomeless[id] = true
    end
    for _, id in ipairs(unleased) do
      if not isHomeless[id] then
        stale[#stale + 1] = id
      end
    end
    bulk('HDEL', LEASES, stale)
  end
else
  local finished = {}
  for _, id in ipairs(placeless) do
    local to = (tonumber(call('ZSCORE', DONE, id)) or 0) > nowMillis and finished or homeless
    to[#to + 1] = id
  end
  bulk('HDEL', MESSAGES, finished)
end
local buried = putBack(homeless)

local next = page[1] ~= '0' and name .. ' ' .. page[1] or name == 'leases' and SECOND or ''
if regular then
  call('HSET', META, 'witness', moment, 'inspected', text(nowMillis) .. ' ' .. (next == '' and FIRST or next))
  call('HSET', MESSAGES, '', moment)
  next = ''
end
local reply = {next, #homeless, buried, lost}
for k = 1, math.min(#homeless, MOST_NAMED) do
  reply[#reply + 1] = homeless[k]
end
return reply
