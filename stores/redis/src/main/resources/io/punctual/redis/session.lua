-- The session of a call: the number that it expects next, and the replies that the client has not confirmed.
-- Runs after partition.lua (`META`), and defines `kept`, `remember`, `takeBack` and `rememberAnyway` for later files.
--
-- KEYS     11 session
-- ARGV     2 number of the call, 3 lowest number whose reply the client has not received, with a plus in front
--          if the client sent the call before
-- Result   ['N'] no session, or a different client uses it; ['G', expected] the number is too high, because an
--          earlier call did not arrive; ['F'] the reply to this earlier call is no longer stored
-- Repeated finds the stored reply in `kept`, and changes nothing
--
-- The session is a hash: `last` is the number of the last call that ran, `low` is the lowest number whose reply
-- the client may request again, `seen` is when the time to live was last set, in seconds. Each reply is a field
-- that is named after its number. The script removes confirmed replies in blocks of BLOCK, since one command
-- removes a block at the cost of a single field. With a large reply, such as that of a large claim, it removes
-- all confirmed replies, so that a crashed client leaves few replies behind.

local SESSION = KEYS[11]
local SESSION_SECONDS = 4200  -- an hour, plus SEEN_SECONDS between two updates of the time to live
local SEEN_SECONDS = 600
local BLOCK = 16
local LARGE_BYTES = 1000

-- Returns an answer that says which calls this server has not run. A read-only replica that lags would say the same:
-- it refuses the write, so that the client connects to the primary.
local function lacking(answer)
  call('HDEL', META, '0')
  return answer
end

local session = call('HMGET', SESSION, 'last', 'low', 'seen', ARGV[2])
local number, low = tonumber(ARGV[2]), tonumber(session[2])
if not (low and tonumber(session[1]) and tonumber(session[3])) then
  return lacking({'N'})
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
    return lacking({'G', session[1] + 1})
  elseif not repeated then
    return lacking({'N'})
  elseif number < low or not kept then
    return lacking({'F'})
  end
  -- A repeated call has to write, since WAIT covers only writes of its own connection.
  call('EXPIRE', SESSION, SESSION_SECONDS)
end

-- Stores the reply and the number of the call. Returns nil, or the error if Redis is full or refuses all
-- writes; in this case remember() has changed nothing. The later commands are housekeeping: once the reply is
-- stored, their errors must not end the script.
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

-- Makes the session expect the same number again. A script calls this if Redis refuses a change after
-- remember(), so that no client gets the stored reply.
local function takeBack()
  call('HSET', SESSION, 'last', session[1])
end

local function isFull(failure)
  return failure and string.find(failure.err, 'OOM', 1, true)
end

-- Like remember(), for scripts that must also work when memory is full: once a script has run a write that can
-- free memory, Redis allows its later writes.
local function rememberAnyway(answer)
  local failure = remember(answer)
  if isFull(failure) then
    call('HDEL', SESSION, '0')
    failure = remember(answer)
  end
  return failure
end
