-- Deletes a partition that holds no messages: a step of deleting its queue.
--
-- KEYS     partition
-- ARGV     1 partitions, or nothing to stop the creation of a partition that does not exist; 2 id of the deletion, 3 step:
--            begin      notes the deletion in the first partition
--            partition  deletes this partition, which is not the first
--            first      deletes the first partition, if its note is still there
--            cancel     removes the note
-- Result   D done, E the partition holds messages, N there is no such partition, U the queue came into use
-- Cost     a few commands; Redis frees the memory of large keys in the background
-- Twice    partition and first answer N, the others do the same again
--
-- found.lua removes the note, so that a partition which came into being during the deletion keeps its
-- queue. Sessions without a partition are answered as unknown; their keys expire.

local STEP = ARGV[3]

-- Tokens begin at the clock's time. If the clock was set back, the last token stays until the clock has passed it, so
-- that none comes again.
local function keepToken()
  local last = tonumber(meta[4]) or 0
  if last >= micros and last < 2 ^ 53 then
    call('HSET', META, 'token', meta[4])
    call('EXPIRE', META, math.ceil((last - micros) / 1000000) + 1)
  end
end

if not meta[1] then
  call('UNLINK', META)  -- the clients that are about to create the partition begin again
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
if call('ZCARD', SCHEDULED) + call('ZCARD', LEASED) + call('ZCARD', DEAD) > 0 then
  return 'E'
end
if STEP == 'begin' then
  call('HDEL', META, '0')  -- after a write that could free, the others pass when memory is full
  call('HSET', META, 'deletion', ARGV[2])
  return 'D'
end
if STEP == 'first' and note ~= ARGV[2] then
  return 'U'
end
call('UNLINK', unpack(KEYS))
keepToken()
return 'D'
