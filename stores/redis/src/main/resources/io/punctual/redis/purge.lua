-- Removes, step by step, the messages that were in a state when the purge began. Runs after partition.lua
-- (`purging`, `SPARED_SECONDS`, `bulk`) and paging.lua (`rankAfter`).
--
-- KEYS     as in partition.lua
-- ARGV     1 as in partition.lua, 2 id of the purge, which begins with the names of its steps, 3 step, then the
--          arguments of the step:
--            begin     reserves the partition for this purge
--            W|S|R|L|D|F limit began [score id]
--                      examines up to `limit` messages in a state, from the message after this score and id on, and
--                      removes those that the purge does not spare. S is scheduled, R ready, W both, L leased,
--                      D dead, F finished; `began` is the result of `begin`
--            end       ends the reservation
-- Result   begin: engine milliseconds; empty if the partition does not exist; nil if a different purge runs
--          W|S|R|L|D|F: [number of removed messages, 1 if there are further messages else 0, score and id of the last
--          message examined]
--          end: 1
-- Cost     about 5 microseconds a message
-- Repeated a step can remove further messages in the same state, which the client does not count
--
-- While `meta` names a purge, scripts that add a message to a state add its id to `spared`. A purge ends by itself
-- after QUIET_MILLIS without a step. `spared` has an empty id during a purge. Without it, a foreign program removed the
-- key, and the purge ends, because it no longer knows which messages to spare.

local PURGE, STEP = ARGV[2], ARGV[3]
local QUIET_MILLIS = 60000

local function hold()
  call('HSET', META, 'purge', text(nowMillis + QUIET_MILLIS) .. ' ' .. PURGE)
  call('EXPIRE', SPARED, SPARED_SECONDS)
end

if not meta[1] then
  return STEP == 'begin' and '' or STEP == 'end' and 1 or {0, 0}
end
local holder = purging and string.match(meta[6], ' (.*)$')
call('HDEL', META, '0')  -- allowed when memory is full; Redis then allows the later writes
if STEP == 'begin' then
  -- A reservation that ends later than a purge can set it is from a clock that has stepped back.
  if holder and holder ~= PURGE and tonumber(string.match(meta[6], '^%d+')) <= nowMillis + 2 * QUIET_MILLIS then
    return false
  end
  call('UNLINK', SPARED)
  call('SADD', SPARED, '')
  hold()
  return text(nowMillis)
end
if holder ~= PURGE or STEP ~= 'end' and call('SMISMEMBER', SPARED, '')[1] == 0 then
  return redis.error_reply('PUNCTUAL purge over')
end
if STEP == 'end' then
  call('UNLINK', SPARED)
  call('HDEL', META, 'purge')
  return 1
end

local LIMIT, BEGAN = tonumber(ARGV[4]), ARGV[5]
local key = ({W = SCHEDULED, S = SCHEDULED, R = SCHEDULED, L = LEASED, D = DEAD, F = DONE})[STEP]
local from, to = 0, call('ZCARD', key) - 1
if STEP == 'R' then
  to = call('ZCOUNT', key, '-inf', BEGAN) - 1
elseif STEP == 'S' or STEP == 'F' then
  from = call('ZCOUNT', key, '-inf', text(nowMillis))
end
if ARGV[6] then
  from = math.max(from, rankAfter(key, ARGV[6], ARGV[7]))
end
local stop = math.min(to, from + LIMIT - 1)
local page = stop >= from and call('ZRANGE', key, from, stop, 'WITHSCORES') or {}
if #page == 0 then
  return {0, 0}
end

local ids, removed = {}, {}
for k = 1, #page, 2 do
  ids[#ids + 1] = page[k]
end
local spared = call('SMISMEMBER', SPARED, unpack(ids))
for k, id in ipairs(ids) do
  if spared[k] == 0 then
    removed[#removed + 1] = id
  end
end
bulk('ZREM', key, removed)
bulk('HDEL', LEASES, removed)
bulk('HDEL', MESSAGES, removed)
bulk('HDEL', RETRIES, removed)
hold()
return {#removed, stop < to and 1 or 0, page[#page], page[#page - 1]}
