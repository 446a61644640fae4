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
local head = 'A' .. text(micros) .. ' '

if kept then
  -- If a claim had this number, its client no longer wants it.
  local at, outcomes = string.match(kept, '^A(%d+) (.*)$')
  return {'A', at or text(micros), outcomes or ''}
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
  local i = FIRST
  while i <= ARGUMENTS do
    local id, due = ARGV[i + 1], ARGV[i + 2]
    if not SCHEDULES[ARGV[i]] or seen[id] then
      break
    end
    seen[id] = true
    local millis = tonumber(due)
    if string.byte(due) == 43 then
      millis = soonMillis + millis
      due = millis
    end
    if millis < lowest then
      lowest = millis
    end
    local content = ARGV[i + 3]
    if #content > most then
      most = #content
    end
    n = n + 1
    ids[n] = id
    scores[2 * n - 1], scores[2 * n] = due, id
    contents[2 * n - 1], contents[2 * n] = id, content
    i = i + 4
  end
  local function isNew(found)
    for k = 1, n do
      if found[k] then
        return false
      end
    end
    return true
  end
  if i > ARGUMENTS
      and isNew(call('ZMSCORE', SCHEDULED, unpack(ids)))
      and isNew(call('HMGET', LEASES, unpack(ids)))
      and (call('ZCARD', DEAD) == 0 or isNew(call('ZMSCORE', DEAD, unpack(ids)))) then
    local before = call('ZRANGE', SCHEDULED, 0, 0, 'WITHSCORES')[2]
    if before and tonumber(before) <= lowest or paused then
      lowest = nil
    else
      before = earliest()
    end
    local answer = string.rep('s', n)
    local failure = remember(head .. answer)
    if not failure then
      bulk('ZADD', SCHEDULED, scores)
      bulk('HSET', MESSAGES, contents)
      if most > largest then
        call('HSET', META, 'largest', most)
      end
      if lowest and not (before and tonumber(before) <= lowest) then
        hint(lowest)
      end
      return {'A', text(micros), answer}
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
    for k, id in ipairs(ids) do
      local record, token = records[k], ARGV[FIRST + 3 * k - 1] .. ' '
      if record and not seen[id] and string.sub(record, 1, #token) == token then
        seen[id] = true
        gone[#gone + 1] = id
        outcomes[k] = 'o'
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
    return {'A', text(micros), answer}
  end
end
