-- Leases messages: those whose leases have run out, by their end, then those that are due, by due time.
--
-- KEYS     lane, 9 session
-- ARGV     1 lanes, 2 number, 3 lowest unanswered, 4 limit, 5 lease in milliseconds
-- Result   ['C', token, engine microseconds, earliest time of the lane or nil, then for each message:
--          id, due, attempt, content or nil, retries or nil] or as session.lua says; times in
--          milliseconds; retries as "attempts due history"
-- Cost     about 3 microseconds a message in a batch, 15 for a claim that finds nothing
-- Twice    the same token, and those messages that are still leased under it
--
-- An expired lease with the mark is removed instead, up to 1000 a claim. A reply carries up to 1 MiB
-- beside its first message.

local LIMIT, LEASE = tonumber(ARGV[4]), tonumber(ARGV[5])
local MAX_DISCARDS = 1000
local RECORD = '^(%d+) (%S+) (%d+)(.*)$'

if kept then
  local reply = {'C', '0', text(micros), '0'}
  if string.byte(kept) ~= 67 then
    return {'F'}
  end
  local ids = cmsgpack.unpack(string.sub(kept, 2))
  local token = table.remove(ids, 1)
  reply[2] = token
  if #ids == 0 then
    return reply
  end
  local records, ends = call('HMGET', LEASES, unpack(ids)), call('ZMSCORE', LEASED, unpack(ids))
  local contents, retries = call('HMGET', MESSAGES, unpack(ids)), call('HMGET', RETRIES, unpack(ids))
  for k, id in ipairs(ids) do
    local under, due, attempt, mark = string.match(records[k] or '', RECORD)
    if under == token and mark == '' and ends[k] and tonumber(ends[k]) > nowMillis then
      local n = #reply
      reply[n + 1], reply[n + 2], reply[n + 3] = id, due, attempt
      reply[n + 4], reply[n + 5] = contents[k], retries[k]
    end
  end
  return reply
end

-- What to lease, and what to remove.
local ids, dues, attempts = {}, {}, {}
local discarded, strays = {}, {}
local cut = false

local function findExpired()
  local from = 0
  while #ids < LIMIT do
    local count = math.min(LIMIT - #ids, LIMIT + MAX_DISCARDS - from)
    if count == 0 then
      cut = true
      return
    end
    local page = call('ZRANGE', LEASED, '-inf', nowMillis, 'BYSCORE', 'LIMIT', from, count)
    if #page == 0 then
      return
    end
    local records = call('HMGET', LEASES, unpack(page))
    for k, id in ipairs(page) do
      local _, due, before, mark = string.match(records[k] or '', RECORD)
      if mark == ' c' then
        discarded[#discarded + 1] = id
      elseif not records[k] and call('ZSCORE', SCHEDULED, id) then
        strays[#strays + 1] = id
      else
        local n = #ids + 1
        ids[n], dues[n], attempts[n] = id, due or text(nowMillis), (tonumber(before) or 0) + 1
      end
    end
    from = from + #page
  end
end

local leaseEnds = call('ZRANGE', LEASED, 0, 0, 'WITHSCORES')[2]
local expired = 0
if LIMIT > 0 and not paused then
  if leaseEnds and tonumber(leaseEnds) <= nowMillis then
    findExpired()
    leaseEnds = false
  end
  expired = #ids
  if expired < LIMIT and not cut then
    local page = call('ZRANGE', SCHEDULED, '-inf', nowMillis, 'BYSCORE', 'LIMIT', 0, LIMIT - expired,
        'WITHSCORES')
    local n = expired
    for k = 1, #page, 2 do
      n = n + 1
      ids[n], dues[n] = page[k], page[k + 1]
    end
  end
end

-- How many of them fit into the reply; no look at each if even the largest ones would.
local count = #ids
local hasRetries = count > 0 and call('HLEN', RETRIES) > 0
if count * 2 * largest > REPLY_BYTES then
  local bytes = 0
  for k = 2, count do
    bytes = bytes + call('HSTRLEN', MESSAGES, ids[k])
    if hasRetries then
      bytes = bytes + call('HSTRLEN', RETRIES, ids[k])
    end
    if bytes > REPLY_BYTES then
      for beyond = k, count do
        ids[beyond] = nil
      end
      count = k - 1
      break
    end
  end
end

local token = text(count > 0 and math.max(tonumber(meta[4] or 0) + 1, micros) or meta[4] or 0)
local reply = {'C', token, text(micros), false}
local scores, records = {}, {}
local answer = {token}
local untilMillis = soonMillis + LEASE
if count > 0 then
  local contents = call('HMGET', MESSAGES, unpack(ids))
  local retries = hasRetries and call('HMGET', RETRIES, unpack(ids)) or {}
  local prefix = token .. ' '
  local ends = text(untilMillis)
  for k = 1, count do
    local id, due, record = ids[k], dues[k], retries[k]
    local attempt = attempts[k] or (record and tonumber(string.match(record, '^%d+')) or 0) + 1
    scores[2 * k - 1], scores[2 * k] = ends, id
    records[2 * k - 1], records[2 * k] = id, prefix .. due .. ' ' .. attempt
    answer[k + 1] = id
    local n = 5 * k
    reply[n], reply[n + 1], reply[n + 2], reply[n + 3] = id, due, attempt, contents[k]
    reply[n + 4] = record or false
  end
end

local failure = rememberAnyway('C' .. cmsgpack.pack(answer))
if failure then
  return failure
end
if count > expired then
  call('ZREMRANGEBYRANK', SCHEDULED, 0, count - expired - 1)
end
if #strays + #discarded > 0 then
  bulk('ZREM', LEASED, strays)
  bulk('ZREM', LEASED, discarded)
  bulk('HDEL', LEASES, discarded)
  bulk('HDEL', MESSAGES, discarded)
  bulk('HDEL', RETRIES, discarded)
end
if count > 0 then
  bulk('ZADD', LEASED, scores)
  bulk('HSET', LEASES, records)
  call('HSET', META, 'token', token)
  if purging then
    bulk('SADD', SPARED, ids)
  end
end
if cut then
  reply[4] = '0'
elseif not paused then
  reply[4] = earliest() or false
end
return reply
