-- Tries each command of the other scripts on keys that do not exist, without effect.
--
-- KEYS     the keys of a partition, with a hash tag that no queue can have
-- Result   the commands that Redis refuses to run for this user, separated by spaces
-- Cost     some thirty commands
-- Repeated same effect and result
--
-- A user may have rights to the keys of some queues only, so an error about a key does not count as a refusal.

local ZSET, HASH, SET, NONE = KEYS[1], KEYS[3], KEYS[8], KEYS[2]
local COMMANDS = {
  {'TIME'}, {'TYPE', NONE}, {'EXISTS', NONE}, {'DEL', NONE}, {'UNLINK', NONE}, {'EXPIRE', NONE, '1'},
  {'HDEL', HASH, '0'}, {'HGET', HASH, '0'}, {'HMGET', HASH, '0'}, {'HLEN', HASH}, {'HSTRLEN', HASH, '0'},
  {'ZADD', ZSET, 'XX', '0', '0'}, {'ZREM', ZSET, '0'}, {'ZREMRANGEBYRANK', ZSET, '1', '0'},
  {'ZRANGE', ZSET, '0', '0'}, {'ZSCORE', ZSET, '0'}, {'ZMSCORE', ZSET, '0'}, {'ZCARD', ZSET},
  {'ZCOUNT', ZSET, '0', '0'}, {'SMEMBERS', SET}, {'SREM', SET, '0'}, {'SMISMEMBER', SET, '0'},
}

local refused = {}

local function try(command, ...)
  local answer = redis.pcall(command, ...)
  if type(answer) == 'table' and answer.err and string.find(answer.err, 'run th', 1, true) then
    refused[#refused + 1] = command
  end
end

for _, command in ipairs(COMMANDS) do
  try(unpack(command))
end
-- These commands have no form without effect, so each is undone.
try('SADD', SET, '0')
redis.pcall('UNLINK', SET)
try('HSET', HASH, '0', '0')
redis.pcall('HDEL', HASH, '0')
return table.concat(refused, ' ')
