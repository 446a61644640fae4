-- Leases messages: first messages with expired leases in the order of their ends, then due messages in the
-- order of their due times. Runs after partition.lua (keys, clock, `earliest`, `spare`), session.lua (`kept`,
-- `rememberAnyway`), waiting.lua, attend.lua and wake.lua; see PartitionScripts.
--
-- KEYS     1 to 10 as in partition.lua, 11 session
-- ARGV     1 as in partition.lua, 2 and 3 as in session.lua, 4 limit, 5 lease in milliseconds, 6 the client as in
--          waiting.lua, empty if it does not listen, 7 1 to deliver at most once, else empty,
--          8 the id of the session
-- Result   ['C', token, engine microseconds, earliest time of the partition in milliseconds or nil, with an s in front
--          if the partition's share of the limits prevents the claim of a due message, so that shares of other
--          partitions may help] and, if there are messages, three lists:
--          - the id of each message, followed by its lease: "token due/holder attempt"; the holder is the session.
--            Earlier releases wrote no holder
--          - the content of each message, or nil
--          - the retries of each message, "attempts due history", or nil; this list is missing or empty if no
--            message was tried before
--          and, if the script removed ids from `leased` because no message is stored under them, a fourth list
--          with these ids. Or a result of session.lua.
-- Cost     about 3 microseconds a message in a batch, 15 for a claim that finds nothing
-- Repeated returns the same token, and the messages that are still leased under it; or the whole first result, if the
--          claim delivers at most once
--
-- A claim that delivers at most once removes its messages, and stores its whole result in the session. But it leases a
-- message that the client cannot read and will bury: one that has no content, or content that begins with a foreign
-- byte.
--
-- The mark of a cancelled message is " c" at the end of its lease. After such a lease has expired, the next claim
-- removes the message instead of leasing it; a claim removes up to MAX_DISCARDS messages.
--
-- A claim that takes fewer messages than its limit registers the client as waiting. If a different client is on duty,
-- the reply then has no earliest time. This includes a claim that the limits of the queue cut short; the earliest time
-- is then the time at which the limits allow the next claim. A claim that takes its limit, or that ends early because
-- its reply is full or it met MAX_DISCARDS cancelled messages, ends the registration, and sends a hint to the next
-- waiting client; the reply has the earliest time 0, so that the client claims again once it has room.
--
-- The contents and retries in a reply, except those of its first message, have at most REPLY_BYTES together.

local LIMIT, LEASE, ONCE = tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[7] == '1'
local CONTENT_FROM, CONTENT_TO = 16, 23  -- the range of the first byte of a content
local MAX_DISCARDS = 200
local MANY = 8
local RECORD = '^(%d+) ([^ /]+)%S* (%d+)(.*)$'
local ids, records = {}, {}  -- the ids to lease, and pairs of an id and its due time, later its lease

if kept and string.byte(kept) == 79 then  -- O, for once
  local first = cmsgpack.unpack(string.sub(kept, 2))
  return {'C', first[1], moment, '0', first[2], first[3], first[4], first[5]}
end
if kept then
  local token, packed = string.match(kept, '^C(%d+) (.*)$')
  if not token then
    return {'F'}
  end
  local reply = {'C', token, moment, '0'}
  local claimed = cmsgpack.unpack(packed)
  if #claimed == 0 then
    return reply
  end
  local leases, ends = call('HMGET', LEASES, unpack(claimed)), call('ZMSCORE', LEASED, unpack(claimed))
  for k, id in ipairs(claimed) do
    local under, _, _, mark = string.match(leases[k] or '', RECORD)
    if under == token and mark == '' and ends[k] and tonumber(ends[k]) > nowMillis then
      local n = #ids + 1
      ids[n], records[2 * n - 1], records[2 * n] = id, id, leases[k]
    end
  end
  if #ids > 0 then
    reply[5], reply[6] = records, call('HMGET', MESSAGES, unpack(ids))
    reply[7] = call('HMGET', RETRIES, unpack(ids))
  end
  return reply
end

-- Returns whether the client can read a lease, which has no mark yet. A foreign program may have written a due
-- time or a number of attempts in any form.
local function isReadable(record)
  local due, attempt = string.match(record, '^%d+ ([^ /]+)%S* (%d+)$')
  return due and #attempt < 10
      and (string.find(due, 'inf$') or string.find(due, '^[%d.e+-]+$') and tonumber(due))
end

local NONE = {}
local attempts = NONE  -- the attempts of the messages with expired leases
local discarded, strays, foreign, taken = NONE, NONE, NONE, NONE
local cut = false

local lease = call('ZRANGE', LEASED, '0', '0', 'WITHSCORES')[2] or false  -- the end of the first lease
local firstDue  -- the due time of the first due message beyond the limit
local expired = 0
-- The number of messages, and of due messages, that the limits allow. The latter is negative if the concurrency was
-- lowered below the number of leased messages.
local most, places = LIMIT, LIMIT
local tokens, per, missing, shared
local steppedBack = false  -- whether the clock stepped back, so that `full` lies too far in the future
if limits and LIMIT > 0 and not paused then
  local bucket, concurrency, partitions
  tokens, per, bucket, concurrency, partitions = string.match(limits, '^(%d+) (%d+) (%d+) (%S+) (%d+)')
  shared = partitions ~= '1'
  if per ~= '0' then
    missing = (tonumber(call('HGET', META, 'full')) or 0) - micros
    steppedBack = missing > tonumber(bucket)
    missing = math.max(0, math.min(missing, tonumber(bucket)))
    most = math.min(most, math.floor((bucket - missing) * tokens / per))
  end
  if concurrency ~= '-' then
    places = concurrency - call('ZCARD', LEASED)
  end
end
if most > 0 and not paused then
  if lease and tonumber(lease) <= nowMillis then
    attempts, discarded, strays, foreign = {}, {}, {}, {}
    local function findExpired()
      local from = 0
      while #ids < most do
        local count = math.min(most - #ids, most + MAX_DISCARDS - from)
        if count == 0 then
          cut = true
          return
        end
        local page = call('ZRANGE', LEASED, '-inf', nowMillis, 'BYSCORE', 'LIMIT', from, count)
        if #page == 0 then
          return
        end
        local leases = call('HMGET', LEASES, unpack(page))
        for k, id in ipairs(page) do
          local _, due, before, mark = string.match(leases[k] or '', RECORD)
          if mark == ' c' then
            discarded[#discarded + 1] = id
          elseif not leases[k] and (call('ZSCORE', SCHEDULED, id) or call('ZSCORE', DEAD, id)) then
            strays[#strays + 1] = id
          elseif not leases[k] and not call('HGET', MESSAGES, id) then
            strays[#strays + 1], foreign[#foreign + 1] = id, id
          else
            local n = #ids + 1
            ids[n], attempts[n] = id, leases[k] and (tonumber(before) or 0) + 1
            records[2 * n - 1], records[2 * n] = id, due or text(nowMillis)
          end
        end
        from = from + #page
      end
    end
    findExpired()
    lease = nil
    expired = #ids
  end
  -- A claim that delivers at most once also frees the places of the expired leases.
  places = places + #discarded + #strays + (ONCE and expired or 0)
  local wanted = math.min(most - expired, places)
  if wanted > 0 and not cut then
    local nowText = string.sub(moment, 1, -4)
    local page = call('ZRANGE', SCHEDULED, '-inf', nowText, 'BYSCORE', 'LIMIT', '0', wanted + 1,
        'WITHSCORES')
    if #page > 2 * wanted then
      firstDue = page[2 * wanted + 2]
      page[2 * wanted + 2], page[2 * wanted + 1] = nil, nil
    end
    if expired == 0 then
      records = page
    end
    local n = expired
    for k = 1, #page, 2 do
      n = n + 1
      ids[n] = page[k]
      records[2 * n - 1], records[2 * n] = page[k], page[k + 1]
    end
  end
end

-- Counts the messages that fit into the reply. Skips the count if even the largest messages would fit.
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
      for beyond = count, k, -1 do
        ids[beyond], records[2 * beyond], records[2 * beyond - 1] = nil, nil, nil
      end
      count, cut = k - 1, true
      break
    end
  end
end

local last = tonumber(meta[4]) or 0
if not (last >= 0 and last < 2 ^ 53) then
  last = 0  -- a foreign program wrote this token
end
local token = count > 0 and micros > last and moment or text(count > 0 and last + 1 or last)
local ends = text(soonMillis + LEASE)
local reply = {'C', token, moment, false}
if #foreign > 0 then
  reply[5], reply[6], reply[7], reply[8] = {}, {}, {}, foreign
end
-- The messages to lease: their number, their ends in `leased`, and their records in `leases`.
local held, scores, leases = 0, {}, records
if count > 0 then
  if ONCE then
    taken, leases = {}, {}
  end
  local prefix = token .. ' '
  local again = '/' .. ARGV[8] .. ' '
  local first = again .. '1'
  local retries = hasRetries and call('HMGET', RETRIES, unpack(ids))
  reply[5], reply[6], reply[7] = records, call('HMGET', MESSAGES, unpack(ids)), retries or reply[7]
  for k = 1, count do
    local attempt = attempts[k]
    if not attempt and retries and retries[k] then
      attempt = (tonumber(string.match(retries[k], '^%d+')) or 0) + 1
    end
    records[2 * k] = prefix .. records[2 * k] .. (attempt and again .. attempt or first)
    local kind = ONCE and string.byte(reply[6][k] or '')
    if kind and kind >= CONTENT_FROM and kind <= CONTENT_TO
        and (k > expired and not attempt or isReadable(records[2 * k])) then
      taken[#taken + 1] = ids[k]
    else
      held = held + 1
      scores[2 * held - 1], scores[2 * held] = ends, ids[k]
      leases[2 * held - 1], leases[2 * held] = ids[k], records[2 * k]
    end
  end
end

-- The script adds each message to its new key before it removes the message from the old key. Redis
-- refuses a command that the user may not run, and does not undo earlier commands. So each command
-- that removes messages first runs without effect, or is the first change. Such a command is also
-- allowed when memory is full. After it, Redis allows all later writes of the script.
local removes = #strays + #discarded > 0
-- Redis stores small sets and hashes as lists, which it searches from the beginning. An entry of this length, which is
-- longer than any id, makes Redis convert such a set or hash to its form for many entries.
local LONG = (held >= MANY or removes or #taken > 0) and string.rep(' ', 257)
if count > expired then
  call('ZREMRANGEBYRANK', SCHEDULED, '1', '0')
elseif count > 0 or removes then
  call('HDEL', META, '0')
end
if held >= MANY or removes or expired > 0 and #taken > 0 then
  call('ZREM', LEASED, LONG)
end
if #taken > 0 then
  call('HDEL', MESSAGES, LONG)
end
if removes then
  bulk('HDEL', LEASES, discarded)
  bulk('ZREM', LEASED, strays)
  bulk('ZREM', LEASED, discarded)
  bulk('HDEL', MESSAGES, discarded)
  bulk('HDEL', RETRIES, discarded)
end
if count > 0 then
  call('HSET', META, 'token', token)
  if missing then
    missing = missing + math.ceil(count * per / tokens)
    call('HSET', META, 'full', text(micros + missing))
  end
  if shared then
    call('HSET', META, 'delivered', (tonumber(call('HGET', META, 'delivered')) or 0) + count)
  end
  if purging then
    spare(ids)
  end
  if held >= MANY then
    call('ZADD', LEASED, ends, LONG)
    bulk('ZADD', LEASED, scores)
    call('ZREM', LEASED, LONG)
    call('HSET', LEASES, leases[1], LONG)
  else
    bulk('ZADD', LEASED, scores)
  end
  bulk('HSET', LEASES, leases)
end
local failure = rememberAnyway(ONCE
    and 'O' .. cmsgpack.pack({token, records, reply[6] or NONE, reply[7] or NONE, foreign})
    or 'C' .. token .. ' ' .. cmsgpack.pack(ids))
if failure then
  return failure
end
if #taken > 0 then
  if expired > 0 then
    bulk('HDEL', LEASES, taken)
    bulk('ZREM', LEASED, taken)
  end
  bulk('HDEL', MESSAGES, taken)
  if hasRetries then
    bulk('HDEL', RETRIES, taken)
  end
end
if count > expired then
  call('ZREMRANGEBYRANK', SCHEDULED, '0', count - expired - 1)
end
if steppedBack then  -- the bucket counts as empty from now on, and this claim has leased no message
  redis.pcall('HSET', META, 'full', text(micros + missing))
end

-- Whether the share of the partition prevents the claim of a message, so that shares of other partitions should move
-- here.
local short = ''
if shared and not cut and count < LIMIT then
  local due = call('ZRANGE', SCHEDULED, '0', '0', 'WITHSCORES')[2]
  local over = call('ZRANGE', LEASED, '0', '0', 'WITHSCORES')[2]
  local isDue, isOver = due and tonumber(due) <= nowMillis, over and tonumber(over) <= nowMillis
  if isDue and places <= count - expired or (isDue or isOver) and most <= count then
    short = 's'
    redis.pcall('HSET', META, 'short', nowMillis)
  end
end

-- The earliest time for the reply. With limits, it is the time at which they allow a claim. Without limits, it is the
-- due time of the first due message that is left, or else the earliest due time or end of a lease.
local next = false
if limits then
  next = not paused and earliest() or false
elseif cut then
  next = '0'
elseif firstDue then
  next = firstDue
elseif not paused then
  if held > 0 and lease ~= nil and not (lease and tonumber(lease) < soonMillis + LEASE) then
    lease = ends
  end
  next = earliest(lease) or false
end
local client = ARGV[6]
if client == '' or LIMIT == 0 then
  reply[4] = next and short .. next
elseif cut or count == LIMIT then
  redis.pcall('ZREM', WAITING, client)
  if next then
    wake(tonumber(next))
  end
  reply[4] = '0'
else
  reply[4] = not attend(WAITING, client, count > 0) and next and short .. next
end
return reply
