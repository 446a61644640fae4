-- Lists the messages in a state, a page at a time. Runs after partition.lua, entries.lua (`addEntry`) and
-- paging.lua (`rankAfter`, `rankBefore`).
--
-- KEYS     as in partition.lua
-- ARGV     1 as in partition.lua, 2 state: S scheduled, R ready, W waiting (scheduled or ready), L leased, D dead,
--          F finished, 3 limit, 4 whether the entries have their contents: 1 or 0, 5 the lowest score of the range,
--          6 the first score after the range; each is empty if the range has no such bound, 7 whether the last
--          messages come first: 1 or 0, [8 score and 9 id of the last message listed]
-- Result   [engine milliseconds, 1 if there are further messages else 0, then the entries: see entries.lua]
--          without contents: [engine milliseconds, 1 if there are further messages else 0, lowest rank of the
--          messages, [id and score of each message, by rank], [lease or nil of each message, by rank; empty except in
--          the state L]]
-- Cost     about 1 microsecond a message, less without contents, and some look-ups to find the first message of
--          the page
-- Repeated only reads
--
-- A page with contents can have fewer messages than the limit: the contents and retries in it, except those of its
-- first message, have at most REPLY_BYTES together. Without contents, the client reads the retries by HMGET, because
-- each value that passes through Lua costs the server about three times as much. For the same reason the reply then
-- has the table of ZRANGE as it is.

local STATE, LIMIT, WITH_CONTENTS, LAST_FIRST = ARGV[2], tonumber(ARGV[3]), ARGV[4] == '1', ARGV[7] == '1'
local key = ({S = SCHEDULED, R = SCHEDULED, W = SCHEDULED, L = LEASED, D = DEAD, F = DONE})[STATE]

local from, to = 0, call('ZCARD', key) - 1
if key == SCHEDULED then
  local ready = call('ZCOUNT', key, '-inf', text(nowMillis))
  if STATE == 'R' then
    to = ready - 1
  elseif STATE == 'S' then
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
if ARGV[8] and LAST_FIRST then
  to = math.min(to, rankBefore(key, ARGV[8], ARGV[9]))
elseif ARGV[8] then
  from = math.max(from, rankAfter(key, ARGV[8], ARGV[9]))
end

local hasMore = to - from >= LIMIT
if LAST_FIRST then
  from = math.max(from, to - LIMIT + 1)
else
  to = math.min(to, from + LIMIT - 1)
end
local reply = {text(nowMillis), hasMore and 1 or 0}
local page = to >= from and call('ZRANGE', key, from, to, 'WITHSCORES') or {}
if not WITH_CONTENTS then
  local leases = {}
  for k = 1, STATE == 'L' and #page or 0, 2 do
    leases[#leases + 1] = call('HGET', LEASES, page[k])
  end
  return {reply[1], reply[2], from, page, leases}
end
local bytes = 0
local first, last, step = 1, #page - 1, 2
if LAST_FIRST then
  first, last, step = #page - 1, 1, -2
end
for k = first, last, step do
  if k ~= first then
    bytes = bytes + call('HSTRLEN', MESSAGES, page[k]) + call('HSTRLEN', RETRIES, page[k])
    if bytes > REPLY_BYTES then
      reply[2] = 1
      break
    end
  end
  addEntry(reply, page[k], page[k + 1], STATE)
end
return reply
