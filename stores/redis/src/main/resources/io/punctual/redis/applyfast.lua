-- Runs operations in their order. This file handles the two most frequent kinds of calls: those with only
-- schedules of new ids, and those with only acks. All other calls fall through to apply.lua before any write.
-- Runs after partition.lua (keys, clock, `purging`, `bulk`), session.lua (`kept`, `remember`, `takeBack`) and
-- wake.lua; see PartitionScripts.
--
-- KEYS     1 to 10 as in partition.lua, 11 session
-- ARGV     1 as in partition.lua, 2 and 3 as in session.lua, then operations:
--            k|j|r|e id due content   schedule: keep, reject, replace, earliest
--            i id due attempts history died content   restore (insert); an empty died makes the message wait
--            f id time                remember the id of a finished message until this time
--            c id                     cancel
--            m id due                 reschedule (move)
--            n id                     run now
--            w id was due             reschedule, or cancel if due is empty, a message that still waits until `was`
--            v id content             redrive (revive); an empty content keeps the content
--            x id                     delete a dead letter
--            a id token               ack
--            d id token time          ack, and remember the id for this time (done), milliseconds
--            t id token due history   retry (try again)
--            b id token history       bury
--            h id token lease         extend (hold on), milliseconds
--            g id token due           release (give back); an empty due keeps the due time
--            o id token due content   repeat (once more); an empty content keeps the content
--          or, if no id occurs twice, and all operations are schedules or all are acks that remember no id:
--            S kinds, then id and content of each schedule, then due of each    kinds has a letter (k|j|r|e) each
--            A n, then n ids, then pairs: a token, and for how many of the next ids it holds
--          due: milliseconds from 1970, or +milliseconds from now
-- Result   ['A', engine microseconds, outcomes], or a result of session.lua. The outcomes are a string:
--            s stored, r<state> replaced, k<state><due>; kept, j<state><due>; rejected, f full
--            c cancelled, m rescheduled, u running, d dead, n not found, x not dead
--            o done, z discarded, l lease lost, w extended, though the message was cancelled
--          state, of the message that had the id before: S scheduled, R ready, L leased, D dead, F finished
-- Cost     about 3 microseconds an operation in a batch, 10 alone, independent of the partition's size
-- Repeated returns the stored reply of the session
--
-- In the forms S and A, ARGV has the arguments of a Redis command side by side, so that the script passes them
-- on unchanged.

local FIRST = 4
local ARGUMENTS = #ARGV
local head = 'A' .. moment .. ' '

if kept then
  -- If this number belonged to a claim, the stored reply has no outcomes: its client no longer needs them.
  local at, outcomes = string.match(kept, '^A(%d+) (.*)$')
  return {'A', at or moment, outcomes or ''}
end

local code = ARGV[FIRST]

if code == 'S' and not purging then
  local n = #ARGV[FIRST + 1]
  local contents, dues = FIRST + 2, FIRST + 2 + 2 * n
  local ids, scores = {}, {}
  local lowest, most = math.huge, largest
  local argument, millis, score = nil, nil, nil
  for k = 1, n do
    local at = contents + 2 * k - 2
    local id, bytes, due = ARGV[at], #ARGV[at + 1], ARGV[dues + k - 1]
    if due ~= argument then
      argument, millis, score = due, tonumber(due), due
      if string.byte(due) == 43 then
        millis = millis == 0 and nowMillis or soonMillis + millis
        score = text(millis)
      end
      if millis < lowest then
        lowest = millis
      end
    end
    if bytes > most then
      most = bytes
    end
    ids[k] = id
    scores[2 * k - 1], scores[2 * k] = score, id
  end
  local function hasNone(found)
    for k = 1, n do
      if found[k] then
        return false
      end
    end
    return true
  end
  -- The look-up in `messages` also finds messages whose lease record is missing. The other look-ups find messages
  -- whose content a foreign program removed. If the contents may be large, the script looks into `scheduled`
  -- instead, so that Redis need not return them.
  local function areNew()
    local found = n * largest <= REPLY_BYTES and call('HMGET', MESSAGES, unpack(ids))
        or call('ZMSCORE', SCHEDULED, unpack(ids))
    return hasNone(found)
        and hasNone(call('HMGET', LEASES, unpack(ids)))
        and (call('ZCARD', DEAD) == 0 or hasNone(call('ZMSCORE', DEAD, unpack(ids))))
        and (call('ZCARD', DONE) == 0 or hasNone(call('ZMSCORE', DONE, unpack(ids))))
  end
  local function isEarliest()
    local due = call('ZRANGE', SCHEDULED, '0', '0', 'WITHSCORES')[2]
    if due and tonumber(due) <= lowest then
      return false
    end
    local lease = call('ZRANGE', LEASED, '0', '0', 'WITHSCORES')[2]
    return not (lease and tonumber(lease) <= lowest)
  end
  if areNew() then
    local hints = not paused and isEarliest()
    local answer = string.rep('s', n)
    local failure = remember(head .. answer)
    if not failure then
      local added = redis.pcall('ZADD', SCHEDULED, unpack(scores))
      if type(added) == 'table' then
        takeBack()
        return added
      end
      call('HSET', MESSAGES, unpack(ARGV, contents, dues - 1))
      if most > largest then
        call('HSET', META, 'largest', most)
      end
      if hints then
        wake(limits and tonumber(earliest()) or lowest)
      end
      return {'A', moment, answer}
    elseif not isFull(failure) then
      return failure
    end
  end
end

if code == 'A' then
  local n = tonumber(ARGV[FIRST + 1])
  local from, to = FIRST + 2, FIRST + 1 + n
  local records = call('HMGET', LEASES, unpack(ARGV, from, to))
  local sub, byte = string.sub, string.byte
  local lost, tried = {}, {}
  local run, left, prefix, length = to - 1, 0, '', 0
  for k = 1, n do
    if left == 0 then
      run = run + 2
      prefix, left = ARGV[run] .. ' ', tonumber(ARGV[run + 1])
      length = #prefix
    end
    left = left - 1
    local record = records[k]
    if not record or sub(record, 1, length) ~= prefix then
      lost[#lost + 1] = k
    else
      local space, attempt = byte(record, -2, -1)
      if attempt ~= 49 or space ~= 32 then
        tried[#tried + 1] = ARGV[from + k - 1]
      end
    end
  end
  local answer = string.rep('o', n)
  local gone = nil
  if #lost > 0 then
    local outcomes = {}
    for k = 1, n do
      outcomes[k] = 'o'
    end
    for _, k in ipairs(lost) do
      outcomes[k] = 'l'
    end
    gone, answer = {}, table.concat(outcomes)
    for k = 1, n do
      if outcomes[k] == 'o' then
        gone[#gone + 1] = ARGV[from + k - 1]
      end
    end
  end
  local before = limits and not paused and (tonumber(earliest()) or math.huge)
  -- If Redis refuses one of these commands, each message is either removed or can be claimed again: a leased
  -- message without a lease record is claimed when its lease ends. The script stores the reply last, so the reply
  -- is stored only if all changes were made.
  if gone then
    bulk('HDEL', LEASES, gone)
    bulk('ZREM', LEASED, gone)
    bulk('HDEL', MESSAGES, gone)
  else
    call('HDEL', LEASES, unpack(ARGV, from, to))
    call('ZREM', LEASED, unpack(ARGV, from, to))
    call('HDEL', MESSAGES, unpack(ARGV, from, to))
  end
  bulk('HDEL', RETRIES, tried)
  local after = before and tonumber(earliest()) or math.huge
  if before and after < before then
    wake(after)
  end
  return rememberAnyway(head .. answer) or {'A', moment, answer}
end
