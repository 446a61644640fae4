-- Lists the messages in a state, a page at a time. Runs after partition.lua, entries.lua (`addEntry`) and
-- paging.lua (`rankAfter`).
--
-- KEYS     as in partition.lua
-- ARGV     1 as in partition.lua, 2 state: S scheduled, R ready, L leased, D dead, F finished, 3 limit,
--          4 whether the entries have their contents: 1 or 0, 5 the lowest score of the range, 6 the first score
--          after the range; each is empty if the range has no such bound, [7 score and 8 id of the last message listed]
-- Result   [engine milliseconds, 1 if there are further messages else 0, then the entries: see entries.lua]
--          without contents: [engine milliseconds, 1 if there are further messages else 0, rank of the first message,
--          [id and score of each message], [lease or nil of each message; empty except in the state L]]
-- Cost     about 1 microsecond a message, less without contents, and some look-ups to find the first message of
--          the page
-- Repeated only reads
--
-- A page with contents can have fewer messages than the limit: the contents and retries in it, except those of its
-- first message, have at most REPLY_BYTES together. Without contents, the client reads the retries by HMGET, because
-- each value that passes through Lua costs the server about three times as much. For the same reason the reply then
-- has the table of ZRANGE as it is.

local STATE, LIMIT, WITH_CONTENTS = ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1'
local key = ({S = SCHEDULED, R = SCHEDULED, L = LEASED, D = DEAD, F = DONE})[STATE]

local from, to = 0, call('ZCARD', key) - 1
if key == SCHEDULED then
  local ready = call('ZCOUNT', key, '-inf', text(nowMillis))
  if STATE == 'R' then
    to = ready - 1
  else
    from = ready
  end
elseif key == DONE then
  from = call('ZCOUNT', key, '-inf', text(nowMillis))
end
if ARGV[5] ~= '' then
  from = math.max(from, call('ZCOUNT', key, '-inf', '(' .. ARGV[5]))
end
if ARGV[6] ~= '' then
  to = math.min(to, call('ZCOUNT', key, '-inf', '(' .. ARGV[6]) - 1)
end
if ARGV[7] then
  from = math.max(from, rankAfter(key, ARGV[7], ARGV[8]))
end

local stop = math.min(to, from + LIMIT - 1)
local reply = {text(nowMillis), stop < to and 1 or 0}
local page = stop >= from and call('ZRANGE', key, from, stop, 'WITHSCORES') or {}
if not WITH_CONTENTS then
  local leases = {}
  for k = 1, STATE == 'L' and #page or 0, 2 do
    leases[#leases + 1] = call('HGET', LEASES, page[k])
  end
  return {reply[1], reply[2], from, page, leases}
end
local bytes = 0
for k = 1, #page, 2 do
  if k > 1 then
    bytes = bytes + call('HSTRLEN', MESSAGES, page[k]) + call('HSTRLEN', RETRIES, page[k])
    if bytes > REPLY_BYTES then
      reply[2] = 1
      break
    end
  end
  addEntry(reply, page[k], page[k + 1], STATE)
end
return reply
