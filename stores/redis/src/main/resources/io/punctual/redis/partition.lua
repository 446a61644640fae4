-- The first file of every script about a partition, after limits.lua. Reads the partition's keys, the clock and the
-- meta data of the partition, and defines common functions.
--
-- KEYS     1 scheduled, 2 leased, 3 leases, 4 dead, 5 messages, 6 retries, 7 meta, 8 spared,
--          9 waiting, 10 done
-- ARGV     1 the number of partitions that the client assumes; empty to run the script on a partition that does
--          not exist
--
-- The script ends with an error, before any write, if the partition has a different format or a different
-- number of partitions. It also ends if the partition does not exist; the client then creates it with found.lua.
--
-- Concatenation writes only 14 digits of a number, so scripts convert numbers with text(); call() itself
-- writes all digits of its arguments. To convert a number costs as much as a command, so scripts keep numbers
-- as text where possible. Each run of a script creates its functions again, so scripts define few functions
-- ahead of the frequent paths.

local SCHEDULED, LEASED, LEASES, DEAD = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local MESSAGES, RETRIES, META, SPARED = KEYS[5], KEYS[6], KEYS[7], KEYS[8]
-- The remembered ids of finished messages, each with the time at which it is forgotten. An id whose time is over
-- counts as absent in every script; apply.lua removes it.
local DONE = KEYS[10]
-- The format of new partitions. A client works with partitions of its own format and of older formats. A
-- later version raises the format of a partition only if older clients would do harm there, and only after
-- the last older client has gone.
local FORMAT = '1'
local REPLY_BYTES = 1048576
local call = redis.call

local meta = call('HMGET', META, 'format', 'partitions', 'paused', 'token', 'largest', 'purge',
    'limits')
if meta[1] and meta[1] ~= FORMAT and not ((tonumber(meta[1]) or math.huge) < tonumber(FORMAT)) then
  return redis.error_reply('PUNCTUAL format ' .. meta[1])
end
if meta[2] and meta[2] ~= ARGV[1] then
  return redis.error_reply('PUNCTUAL partitions ' .. meta[2])
end
if not meta[1] and ARGV[1] ~= '' then
  return redis.error_reply('PUNCTUAL unfounded partition')
end
local paused = meta[3] == '1'
local largest = tonumber(meta[5]) or 0
local limits = meta[7]

local time = call('TIME')
local micros = time[1] * 1000000 + time[2]
local nowMillis = math.floor(micros / 1000)  -- messages with this due time or an earlier one are due
local soonMillis = math.ceil(micros / 1000)  -- delays and leases start at this time, so that they are not too short
local moment = time[1] .. string.sub('00000' .. time[2], -6)  -- micros as text

local function text(number)
  return string.format('%.0f', number)
end

-- Calls a command with a list of any length, 1000 arguments at a time.
local function bulk(command, key, list)
  local size = #list
  if size <= 1000 then
    if size > 0 then
      call(command, key, unpack(list))
    end
    return
  end
  for from = 1, size, 1000 do
    call(command, key, unpack(list, from, math.min(from + 999, size)))
  end
end

-- Returns when a message can next be claimed, in milliseconds as text, or nil. A caller that knows the end of
-- the first lease may pass it; false means that there is no lease.
local function earliest(lease)
  local due = call('ZRANGE', SCHEDULED, '0', '0', 'WITHSCORES')[2]
  if lease == nil then
    lease = call('ZRANGE', LEASED, '0', '0', 'WITHSCORES')[2]
  end
  if limits then
    return allowedAt(limits, META, LEASED, due, lease, micros)
  end
  if due and lease then
    return tonumber(lease) < tonumber(due) and lease or due
  end
  return due or lease
end

-- A purge removes only messages that were in their state when the purge began. While a purge runs, scripts
-- call spare() with the ids that they add to a state. If a purge was abandoned, the list of these ids expires.
local purging = meta[6] and (tonumber(string.match(meta[6], '^%d+')) or 0) > nowMillis
local SPARED_SECONDS = 120
-- Whether the purge removes scheduled and ready messages, so that a new due time does not move a message out of its
-- states.
local purgesWaiting = purging and string.find(meta[6], ' W', 1, true)

local function spare(ids)
  if #ids > 0 then
    bulk('SADD', SPARED, ids)
    call('EXPIRE', SPARED, SPARED_SECONDS)
  end
end
