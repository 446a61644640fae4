-- The beginning of every script about one partition: its keys, its clock, and its meta data.
--
-- KEYS     1 scheduled, 2 leased, 3 leases, 4 dead, 5 messages, 6 retries, 7 meta, 8 spared,
--          9 waiting
-- ARGV     1 the number of partitions that the client believes the queue has; empty to look at a partition that
--          does not exist
-- Refuses, before anything is written, a partition in another format or of another number of partitions, and
-- one that does not exist: found.lua creates it.
--
-- Lua prints 14 digits of a number, so numbers are concatenated through text(); arguments of call()
-- are printed whole. Printing a number costs as much as a command does, so text
-- stays text where possible. Functions are made anew by every run, so scripts make few of them before
-- the paths that are taken often.

local SCHEDULED, LEASED, LEASES, DEAD = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local MESSAGES, RETRIES, META, SPARED = KEYS[5], KEYS[6], KEYS[7], KEYS[8]
-- The oldest format that a client must know to work with this partition. A newer version still works with
-- it, and raises it only where older clients would do harm, after the last of them has gone.
local FORMAT = '1'
local REPLY_BYTES = 1048576
local call = redis.call

local meta = call('HMGET', META, 'format', 'partitions', 'paused', 'token', 'largest', 'purge')
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

local time = call('TIME')
local micros = time[1] * 1000000 + time[2]
local nowMillis = math.floor(micros / 1000)  -- messages with this due time or an earlier one are due
local soonMillis = math.ceil(micros / 1000)  -- spans of time begin here, so that none is too short
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

-- Returns when a message can next be claimed, in milliseconds as text, or nil. A caller may pass the end
-- of the first lease if it knows it; false means that there is no lease.
local function earliest(lease)
  local due = call('ZRANGE', SCHEDULED, '0', '0', 'WITHSCORES')[2]
  if lease == nil then
    lease = call('ZRANGE', LEASED, '0', '0', 'WITHSCORES')[2]
  end
  if due and lease then
    return tonumber(lease) < tonumber(due) and lease or due
  end
  return due or lease
end

-- While a purge runs, it leaves alone the messages that came to their place after it began: spare()
-- names them. They are forgotten a while after a purge that was abandoned.
local purging = meta[6] and (tonumber(string.match(meta[6], '^%d+')) or 0) > nowMillis
local SPARED_SECONDS = 120

local function spare(ids)
  if #ids > 0 then
    bulk('SADD', SPARED, ids)
    call('EXPIRE', SPARED, SPARED_SECONDS)
  end
end
