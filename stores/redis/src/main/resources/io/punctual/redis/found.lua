-- Creates a partition with the number of partitions of its queue, unless it exists. The number in the first
-- partition is binding. The first partition is created in a single step, every other partition in two steps. Runs after
-- shares.lua and types.lua.
--
-- KEYS     as in partition.lua
-- ARGV     1 the number of partitions, 2 step, 3 id of the creation, for prepare and confirm:
--            first    creates the first partition, if it does not exist, and stops a deletion of the queue
--            prepare  writes a note into a different partition: a client is about to create it. The client then
--                     runs the step `first` on the first partition
--            confirm  creates the different partition, if the note of this creation is still there
--            peek     changes nothing
--          4 to 6, for confirm, and for a first partition whose settings another partition still has: the pause, its
--          note and the limits, as in the result of `first`
-- Result   the number of partitions that is stored in the partition, which may differ from argument 1; nil if
--          confirm finds no note. `first` returns a list: this number, 1 if the partition is paused or else an empty
--          text, the note of the pause, the limits of the queue as in limit.lua or an empty text, and, if it has
--          created the partition, 1 if `meta` was lost or else an empty text. `peek` returns the same list, without the
--          last value, or an empty list if the partition has no messages
-- Cost     some ten commands
-- Repeated same effect and result
--
-- These steps ensure that a partition exists only if the first partition exists: a deletion removes all notes,
-- and the clients start again. Each creation has its own note, because the first partition may have been deleted
-- since a different client wrote its note. The note of a crashed client expires. An empty partition whose number
-- differs from that of the first partition is left over from a deletion, and is created again.
--
-- A deletion that a new message ends has already removed partitions of a queue that may be paused or have limits. So a
-- new partition begins with the pause and the limits of the first partition. Later changes of them reach all partitions
-- in any case: a client that pauses, resumes or limits a queue first creates its missing partitions.
--
-- A partition that has messages and no `meta` has lost it. If no other partition knows the number of partitions, a first
-- partition then counts as the only partition, so that all of its messages can be reached by their ids. `largest`
-- becomes so high that claims measure each message.

local FORMAT = '1'
local NOTE_SECONDS = 600
local REPLY_BYTES = 1048576
local call, MESSAGES, META, COUNT, STEP = redis.call, KEYS[5], KEYS[7], ARGV[1], ARGV[2]
local NOTE = 'prepared ' .. (ARGV[3] or '')

local function settings(count)
  local stored = call('HMGET', META, 'paused', 'note', 'limits')
  local whole = string.match(stored[3] or '', '^%S+ %S+ %S+ %S+ %S+ (.*)$')
  return {count, stored[1] or '', stored[2] or '', whole or ''}
end

local function hasMessages()
  return call('ZCARD', KEYS[1]) + call('ZCARD', KEYS[2]) + call('ZCARD', KEYS[4]) + call('ZCARD', KEYS[10])
      + call('HLEN', KEYS[3]) + call('HLEN', MESSAGES) - (call('HGET', MESSAGES, '') and 1 or 0) > 0
end

local wrong = wrongType()
if wrong then
  return wrong
end
if STEP == 'peek' then
  local count = call('HGET', META, 'partitions')
  return count and hasMessages() and settings(count) or {}
end
call('HDEL', META, '0', 'deletion')  -- allowed when memory is full; Redis then allows the later writes
local meta = call('HMGET', META, 'format', 'partitions', NOTE, 'token')
if meta[1] and (meta[2] == COUNT or STEP == 'first' or hasMessages()) then
  return STEP == 'first' and settings(meta[2]) or meta[2]
end
if STEP == 'confirm' and meta[3] ~= COUNT then
  return false
end
call('HSET', META, NOTE, COUNT)
if STEP == 'prepare' then
  if not meta[1] then
    -- If remove.lua left a token here, the key must stay until the clock has passed the token.
    local token = (tonumber(meta[4]) or 0) / 1000000 - call('TIME')[1]
    call('EXPIRE', META, math.max(NOTE_SECONDS, math.ceil(token) + 1))
  end
  return COUNT
end
local isLost = not meta[1] and hasMessages()
if isLost and STEP == 'first' and not ARGV[4] then
  COUNT = '1'
end
call('UNLINK', META)  -- removes the time to live and the notes
call('HSET', META, 'format', meta[1] or FORMAT, 'partitions', COUNT, 'witness', '1')
call('HSET', MESSAGES, '', '1')  -- see inspect.lua
if meta[4] then
  call('HSET', META, 'token', meta[4])
end
if isLost then
  call('HSET', META, 'largest', REPLY_BYTES)
end
if ARGV[4] == '1' then
  call('HSET', META, 'paused', '1', 'note', ARGV[5])
end
if (ARGV[6] or '') ~= '' then
  local time = call('TIME')
  local ledger = emptyLedger(time[1] .. string.sub('00000' .. time[2], -6))
  call('HSET', META, 'shares', ledger, 'limits', limitsOf(ARGV[6], ledger, COUNT))
end
if STEP == 'first' then
  local reply = settings(COUNT)
  reply[5] = isLost and '1' or ''
  return reply
end
return COUNT
