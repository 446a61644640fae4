-- A lock that several handles can hold: readers or a writer, or so many permits.
--
-- KEYS     of each lock: held (a zset, handle -> end of its lease in milliseconds), line, seen, gone,
--          tokens (a hash, handle -> fencing token, of readers and writers)
--
-- look(i) turns to lock i, and removes who has held it for too long; the other functions are about
-- that one. Leases are extended by ZREM and ZADD, since a full Redis refuses ZADD as a first write.

local STRIDE = 5
local HELD, LINE, SEEN, GONE, TOKENS

local function look(i)
  local base = 1 + (i - 1) * STRIDE
  HELD, LINE, SEEN, GONE = KEYS[base + 1], KEYS[base + 2], KEYS[base + 3], KEYS[base + 4]
  TOKENS = KEYS[base + 5]
  while true do
    local over = call('ZRANGE', HELD, '-inf', nowMillis, 'BYSCORE', 'LIMIT', 0, 1000)
    if #over == 0 then
      return
    end
    call('ZREM', HELD, unpack(over))
    call('HDEL', TOKENS, unpack(over))
  end
end

-- The keys outlive the last lease by a second, and no more.
local function expireWithLeases()
  local last = call('ZRANGE', HELD, -1, -1, 'WITHSCORES')[2]
  if last then
    call('PEXPIREAT', HELD, last + 1000)
    call('PEXPIREAT', TOKENS, last + 1000)
  end
end

-- The token under which a handle holds the lock, 0 if it is one without tokens, or nil.
local function tokenOf(handle)
  if not call('ZSCORE', HELD, handle) then
    return nil
  end
  return tonumber(call('HGET', TOKENS, handle) or 0)
end

local function admits(handle)
  local _, mode, limit = parse(handle)
  if mode == 'p' then
    return call('ZCARD', HELD) < tonumber(limit)
  end
  local one = call('ZRANGE', HELD, 0, 0)[1]
  if not one then
    return true
  end
  local _, other = parse(one)
  return mode == 'r' and other == 'r'
end

-- Milliseconds until a place can become free by itself.
local function untilFree()
  local first = call('ZRANGE', HELD, 0, 0, 'WITHSCORES')[2]
  return first and first - nowMillis or -1
end

local function ran()
end

local function mayRun()
  return false
end

local function hold(handle, millis)
  local _, mode = parse(handle)
  local token = 0
  if mode ~= 'p' then
    token = nextToken(1)
    call('HSET', TOKENS, handle, string.format('%.0f', token))
  end
  call('ZADD', HELD, soonMillis + millis, handle)
  expireWithLeases()
  return token
end

-- Gives a place back, if the handle has one.
local function drop(handle)
  if call('ZREM', HELD, handle) == 0 then
    return false
  end
  call('HDEL', TOKENS, handle)
  return true
end

local function dropAll()
  local held = call('ZRANGE', HELD, 0, 999)
  call('DEL', HELD, TOKENS)
  return held
end

-- Lets a handle's lease last for so long from now on, unless it lasts longer; false if it has none.
local function renew(handle, lease)
  local ends = call('ZSCORE', HELD, handle)
  if not ends then
    return false
  end
  call('ZREM', HELD, handle)
  call('ZADD', HELD, math.max(soonMillis + lease, tonumber(ends)), handle)
  expireWithLeases()
  return true
end

-- Gives a holder's place to another handle, under the same token and a lease of so long.
local function replace(handle, other, millis)
  local token = call('HGET', TOKENS, handle)
  call('ZREM', HELD, handle)
  call('HDEL', TOKENS, handle)
  call('ZADD', HELD, soonMillis + millis, other)
  if token then
    call('HSET', TOKENS, other, token)
  end
  expireWithLeases()
end

-- Handles, tokens and what is left of their leases, up to a limit.
local function holders(limit)
  local found, all = {}, call('ZRANGE', HELD, 0, limit - 1, 'WITHSCORES')
  for k = 1, #all, 2 do
    found[#found + 1] = {all[k], call('HGET', TOKENS, all[k]) or '0', all[k + 1] - nowMillis}
  end
  return found
end
