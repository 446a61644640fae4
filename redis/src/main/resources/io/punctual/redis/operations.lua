-- Carries out operations in their order: what the call is, and its two most frequent kinds.
--
-- KEYS     lane, 9 session
-- ARGV     1 lanes, 2 number, 3 lowest unanswered, 4 how to publish hints: PUBLISH or SPUBLISH, a
--          space, the channel; or nothing, for none; then operations:
--            k|j|r|e id due content   schedule: keep, reject, replace, earliest
--            c id                     cancel
--            m id due                 reschedule (move)
--            n id                     run now
--            v id                     redrive (revive)
--            x id                     delete a dead letter
--            a id token               ack
--            t id token due history   retry (try again)
--            b id token history       bury
--            h id token lease         extend (hold on), milliseconds
--            g id token               release (give back)
--          due: milliseconds from 1970, or +milliseconds from now
-- Result   ['A', engine microseconds, outcomes] or as session.lua says. The outcomes are one string:
--            s stored, r<state> replaced, k<state><due>; kept, j<state><due>; rejected, f full
--            c cancelled, m rescheduled, u running, d dead, n not found, x not dead
--            o done, z discarded, l lease lost
--          state, of what had the id before: S scheduled, R ready, L leased, D dead
-- Cost     about 3 microseconds an operation in a batch, 10 alone, whatever the lane holds
-- Twice    answered from the session
--
-- Schedules of ids that are new, and acks, are done here; whatever is not so simple is left to
-- apply.lua, before anything is written.

local CHANNEL, FIRST = ARGV[4], 5
local ARGUMENTS = #ARGV
local head = 'A' .. moment .. ' '

if kept then
  -- If a claim had this number, its client no longer wants it.
  local at, outcomes = string.match(kept, '^A(%d+) (.*)$')
  return {'A', at or moment, outcomes or ''}
end

local function hint(lowest)
  local command, channel = string.match(CHANNEL, '^(%u+) (.*)$')
  if command then
    redis.pcall(command, channel, text(math.max(0, lowest * 1000 - micros)))
  end
end

local SCHEDULES = {k = true, j = true, r = true, e = true}
local code = ARGV[FIRST]

if SCHEDULES[code] and not purging then
  local ids, scores, contents, seen = {}, {}, {}, {}
  local n, lowest, most = 0, math.huge, largest
  local i, argument, millis, score = FIRST, nil, nil, nil
  while i <= ARGUMENTS do
    local id, due, content = ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
    if not SCHEDULES[ARGV[i]] or seen[id] then
      break
    end
    seen[id] = true
    if due ~= argument then
      argument, millis, score = due, tonumber(due), due
      if string.byte(due) == 43 then
        millis = soonMillis + millis
        score = text(millis)
      end
      if millis < lowest then
        lowest = millis
      end
    end
    if #content > most then
      most = #content
    end
    n = n + 1
    ids[n] = id
    scores[2 * n - 1], scores[2 * n] = score, id
    contents[2 * n - 1], contents[2 * n] = id, content
    i = i + 4
  end
  local function hasNone(found)
    for k = 1, n do
      if found[k] then
        return false
      end
    end
    return true
  end
  -- Every message has content, so one look there tells, unless much might have to be read.
  local function areNew()
    if n * largest <= REPLY_BYTES then
      return hasNone(call('HMGET', MESSAGES, unpack(ids)))
    end
    return hasNone(call('ZMSCORE', SCHEDULED, unpack(ids)))
        and hasNone(call('HMGET', LEASES, unpack(ids)))
        and (call('ZCARD', DEAD) == 0 or hasNone(call('ZMSCORE', DEAD, unpack(ids))))
  end
  local function isEarliest()
    local due = call('ZRANGE', SCHEDULED, '0', '0', 'WITHSCORES')[2]
    if due and tonumber(due) <= lowest then
      return false
    end
    local lease = call('ZRANGE', LEASED, '0', '0', 'WITHSCORES')[2]
    return not (lease and tonumber(lease) <= lowest)
  end
  if i > ARGUMENTS and areNew() then
    local hints = not paused and isEarliest()
    local answer = string.rep('s', n)
    local failure = remember(head .. answer)
    if not failure then
      bulk('ZADD', SCHEDULED, scores)
      bulk('HSET', MESSAGES, contents)
      if most > largest then
        call('HSET', META, 'largest', most)
      end
      if hints then
        hint(lowest)
      end
      return {'A', moment, answer}
    elseif not isFull(failure) then
      return failure
    end
  end
end

if code == 'a' then
  local ids, i = {}, FIRST
  while i <= ARGUMENTS and ARGV[i] == 'a' do
    ids[#ids + 1] = ARGV[i + 1]
    i = i + 3
  end
  if i > ARGUMENTS then
    local records = call('HMGET', LEASES, unpack(ids))
    local outcomes, gone, tried, seen = {}, {}, {}, {}
    local n, argument, prefix = 0, nil, nil
    for k = 1, #ids do
      local id, record, token = ids[k], records[k], ARGV[FIRST + 3 * k - 1]
      if token ~= argument then
        argument, prefix = token, token .. ' '
      end
      if record and not seen[id] and string.sub(record, 1, #prefix) == prefix then
        seen[id] = true
        n = n + 1
        gone[n], outcomes[k] = id, 'o'
        if not string.find(record, ' 1', -2, true) then
          tried[#tried + 1] = id
        end
      else
        outcomes[k] = 'l'
      end
    end
    local answer = table.concat(outcomes)
    local failure = rememberAnyway(head .. answer)
    if failure then
      return failure
    end
    bulk('ZREM', LEASED, gone)
    bulk('HDEL', LEASES, gone)
    bulk('HDEL', MESSAGES, gone)
    bulk('HDEL', RETRIES, tried)
    return {'A', moment, answer}
  end
end
