-- The session of a call: which number it expects, and the answers that are not confirmed yet.
--
-- KEYS     10 session
-- ARGV     2 number of the call, 3 lowest number without an answer, with a plus in front if the client
--          sent the call before
-- Result   ['N'] no session, or a different client uses it; ['G', expected] a number is missing; ['F'] forgotten
-- Twice    the session makes a repeated call harmless
--
-- A hash: last (number carried out), low (lowest number whose answer may be asked for), seen (when its
-- time to live was set, in seconds), and a field an answer. Answers are removed in blocks, since a
-- command that removes sixteen fields costs as much as a command that removes a single field. A large
-- answer, of a large claim, removes all that it can, so that a crashed client leaves few answers.

local SESSION = KEYS[10]
local SESSION_SECONDS = 4200  -- an hour, and the time between two settings
local SEEN_SECONDS = 600
local BLOCK = 16
local LARGE_BYTES = 1000

local session = call('HMGET', SESSION, 'last', 'low', 'seen', ARGV[2])
local number, low = tonumber(ARGV[2]), tonumber(session[2])
if not (low and tonumber(session[1]) and tonumber(session[3])) then
  return {'N'}
end
local kept = nil
local unanswered = ARGV[3]
local repeated = string.byte(unanswered) == 43
if repeated then
  unanswered = string.sub(unanswered, 2)
end
if number ~= session[1] + 1 then
  kept = session[4]
  if number > session[1] + 1 then
    return {'G', session[1] + 1}
  elseif not repeated then
    return {'N'}
  elseif number < low or not kept then
    return {'F'}
  end
  -- A write, since WAIT covers only writes of its own connection.
  call('EXPIRE', SESSION, SESSION_SECONDS)
end

-- Keeps the answer, and uses up the number. Returns nil, or the error if Redis is full or does not
-- write at all; then nothing has been done, unless something was written before. The rest is
-- housekeeping: its errors must not end the script, whose answer is kept already.
local function remember(answer)
  local lowest = math.max(low, math.min(tonumber(unanswered), number))
  local asText = lowest == low and session[2] or lowest == number and ARGV[2] or unanswered
  local written = redis.pcall('HSET', SESSION, 'last', ARGV[2], 'low', asText, ARGV[2], answer)
  if type(written) == 'table' and written.err then
    return written
  end
  local from, to = math.floor((low - 1) / BLOCK) * BLOCK, lowest - 1
  if #answer < LARGE_BYTES then
    to = math.floor(to / BLOCK) * BLOCK
  end
  while from < to do
    local fields = {}
    for field = from + 1, math.min(to, from + 1000) do
      fields[#fields + 1] = field
    end
    redis.pcall('HDEL', SESSION, unpack(fields))
    from = from + #fields
  end
  if time[1] - session[3] > SEEN_SECONDS then
    redis.pcall('HSET', SESSION, 'seen', time[1])
    redis.pcall('EXPIRE', SESSION, SESSION_SECONDS)
  end
  return nil
end

-- Expects the number again. Called when Redis refuses a change after remember(): the answer that is
-- kept must never be given.
local function takeBack()
  call('HSET', SESSION, 'last', session[1])
end

local function isFull(failure)
  return failure and string.find(failure.err, 'OOM', 1, true)
end

-- The same when memory may be full: after a write that may free memory, Redis allows later writes.
local function rememberAnyway(answer)
  local failure = remember(answer)
  if isFull(failure) then
    call('HDEL', SESSION, '0')
    failure = remember(answer)
  end
  return failure
end
