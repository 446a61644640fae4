-- Deletes a partition without messages, as a step of the deletion of its queue. Runs after partition.lua.
--
-- KEYS     as in partition.lua
-- ARGV     1 as in partition.lua; empty stops the creation of a partition that does not exist, 2 id of the deletion,
--          3 step:
--            begin      writes a note of the deletion into the first partition
--            check      changes nothing
--            partition  deletes this partition, which is not the first
--            first      deletes the first partition, if the note of this deletion is still there
--            cancel     removes the note of this deletion
-- Result   D done, E the partition has messages or remembered ids, N the partition does not exist, U the note is
--          gone, because a client uses the queue. E also if messages are left of a partition whose `meta` was lost
-- Cost     a few commands; Redis frees the memory of large keys in the background
-- Repeated `partition` and `first` return N; `begin` and `cancel` have the same effect and result
--
-- found.lua removes the note, so a queue stays if a partition was created during the deletion. Calls of a session
-- without a partition fail as calls without a session; the keys of these sessions expire.

local STEP = ARGV[3]

-- New fencing tokens start at the clock's time. If the clock was set back, the last token stays until the clock has
-- passed it, so that no token is used again.
local function keepToken()
  local last = tonumber(meta[4]) or 0
  if last >= micros and last < 2 ^ 53 then
    call('HSET', META, 'token', meta[4])
    call('EXPIRE', META, math.ceil((last - micros) / 1000000) + 1)
  end
end

-- Counts the contents as well: see inspect.lua.
local function isEmpty()
  return call('ZCARD', SCHEDULED) + call('ZCARD', LEASED) + call('ZCARD', DEAD)
      + call('ZCOUNT', DONE, '(' .. text(nowMillis), '+inf') + call('HLEN', LEASES)
      + call('HLEN', MESSAGES) - (call('HGET', MESSAGES, '') and 1 or 0) == 0
end

if not meta[1] and not isEmpty() then
  return 'E'
elseif not meta[1] and STEP == 'check' then
  return 'N'
elseif not meta[1] then
  call('UNLINK', unpack(KEYS))  -- the clients that are about to create the partition must start again
  keepToken()
  return 'N'
end
local note = call('HGET', META, 'deletion')
if STEP == 'cancel' then
  if note == ARGV[2] then
    call('HDEL', META, 'deletion')
  end
  return 'D'
end
if not isEmpty() then
  return 'E'
end
if STEP == 'check' then
  return 'D'
end
if STEP == 'begin' then
  call('HDEL', META, '0')  -- allowed when memory is full; Redis then allows the later writes
  call('HSET', META, 'deletion', ARGV[2])
  return 'D'
end
if STEP == 'first' and note ~= ARGV[2] then
  return 'U'
end
call('UNLINK', unpack(KEYS))
keepToken()
return 'D'
