-- Creates a partition with the number of partitions of its queue, unless it exists. The first partition
-- decides about the number and is created in a single step; each later partition needs two steps.
--
-- KEYS     partition
-- ARGV     1 the number of partitions, 2 step:
--            first    creates the first partition
--            prepare  notes in a different partition that a client is about to create it. The client then asks the
--                     first partition, which creates the first partition if need be and ends a deletion
--            confirm  creates the partition, if the note is still there
-- Result   the number of partitions that the partition knows, which may differ; nil if confirm finds no note
-- Cost     a few commands
-- Twice    the same answer
--
-- So a partition exists only if the first partition exists: a deletion removes the note, and the client begins again.
-- The note of a client that crashed expires. An empty partition with a number that differs from the first partition's
-- is left over from a deletion, and created again.

local FORMAT = '1'
local NOTE_SECONDS = 600
local call, META, COUNT, STEP = redis.call, KEYS[7], ARGV[1], ARGV[2]

call('HDEL', META, '0', 'deletion')  -- a command that may free memory makes Redis allow later writes
local meta = call('HMGET', META, 'format', 'partitions', 'prepared', 'token')
if meta[1] and (meta[2] == COUNT or STEP == 'first'
    or call('ZCARD', KEYS[1]) + call('ZCARD', KEYS[2]) + call('ZCARD', KEYS[4]) > 0) then
  return meta[2]
end
if STEP == 'confirm' and meta[3] ~= COUNT then
  return false
end
local isNew = call('EXISTS', META) == 0
call('HSET', META, 'prepared', COUNT)
if STEP == 'prepare' then
  if isNew then
    call('EXPIRE', META, NOTE_SECONDS)
  end
  return COUNT
end
call('UNLINK', META)  -- ends the time to live
call('HSET', META, 'format', meta[1] or FORMAT, 'partitions', COUNT)
if meta[4] then
  call('HSET', META, 'token', meta[4])
end
return COUNT
