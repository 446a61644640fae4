-- Creates a partition with the number of partitions of its queue, unless it exists. The first partition
-- decides about the number and is created in a single step; each later partition needs two steps.
--
-- KEYS     partition
-- ARGV     1 the number of partitions, 2 step, 3 id of the creation, for prepare and confirm:
--            first    creates the first partition
--            prepare  notes in a different partition that a client is about to create it. The client then asks the
--                     first partition, which creates the first partition if need be and ends a deletion
--            confirm  creates the partition, if the note of this creation is still there
-- Result   the number of partitions that the partition knows, which may differ; nil if confirm finds no note
-- Cost     a few commands
-- Twice    the same answer
--
-- So a partition exists only if the first partition exists: a deletion removes all notes, and the clients begin again.
-- Each creation has a note of its own, because the first partition may have been deleted since the note of a different
-- client. The note of a client that crashed expires. An empty partition with a number that differs from the first
-- partition's is left over from a deletion, and created again.

local FORMAT = '1'
local NOTE_SECONDS = 600
local call, META, COUNT, STEP = redis.call, KEYS[7], ARGV[1], ARGV[2]
local NOTE = 'prepared ' .. (ARGV[3] or '')

call('HDEL', META, '0', 'deletion')  -- a command that may free memory makes Redis allow later writes
local meta = call('HMGET', META, 'format', 'partitions', NOTE, 'token')
if meta[1] and (meta[2] == COUNT or STEP == 'first'
    or call('ZCARD', KEYS[1]) + call('ZCARD', KEYS[2]) + call('ZCARD', KEYS[4]) > 0) then
  return meta[2]
end
if STEP == 'confirm' and meta[3] ~= COUNT then
  return false
end
call('HSET', META, NOTE, COUNT)
if STEP == 'prepare' then
  if not meta[1] then
    -- remove.lua leaves a token here until the clock has passed it.
    local token = (tonumber(meta[4]) or 0) / 1000000 - call('TIME')[1]
    call('EXPIRE', META, math.max(NOTE_SECONDS, math.ceil(token) + 1))
  end
  return COUNT
end
call('UNLINK', META)  -- ends the time to live and the notes
call('HSET', META, 'format', meta[1] or FORMAT, 'partitions', COUNT)
if meta[4] then
  call('HSET', META, 'token', meta[4])
end
return COUNT
