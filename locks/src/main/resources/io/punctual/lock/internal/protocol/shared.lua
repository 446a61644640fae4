-- The functions of a lock that several handles can hold: read-write locks and semaphores. Runs after bucket.lua;
-- exclusive.lua defines the same functions for other locks.
--
-- KEYS     of each lock: held, line, seen, gone, tokens, added
--          held    a zset: handle -> end of its lease in milliseconds
--          line    and seen: see line.lua
--          gone    exists while the server refuses the handle of this request; see also permits.lua
--          tokens  a hash; of a read-write lock: handle -> fencing token; of a semaphore: + -> the sum of the
--                  holders' permits, less 1 for each holder
--          added   a string: the number of added permits, negative for removed permits; it does not expire
--
-- look(i) selects lock i, and removes its holders with expired leases; the other functions work on the selected
-- lock. They extend leases by ZREM and ZADD, since a full Redis refuses ZADD as a first write.

local STRIDE = 6
local HELD, LINE, SEEN, GONE, TOKENS, ADDED

-- Lets the keys expire a second after the end of the last lease.
local function expireWithLeases()
  local last = call('ZRANGE', HELD, -1, -1, 'WITHSCORES')[2]
  if last then
    call('PEXPIREAT', HELD, last + 1000)
    call('PEXPIREAT', TOKENS, last + 1000)
  end
end

-- Adds to the sum in `tokens`: the holders' permits, less 1 for each holder. The holder that comes or goes is not in
-- `held` at this time. If there is no sum yet, or a foreign program removed it, counts the permits of the other holders.
local function haveMore(permits)
  if permits == 0 then
    return
  end
  local sum = call('HGET', TOKENS, '+')
  if sum then
    call('HSET', TOKENS, '+', sum + permits)
    return
  end
  local all = math.max(0, permits)
  local others = call('ZRANGE', HELD, 0, -1)
  for _, handle in ipairs(others) do
    local _, _, _, _, theirs = parse(handle)
    all = all + theirs - 1
  end
  if #others > 0 or permits > 0 then
    call('HSET', TOKENS, '+', all)
    expireWithLeases()
  end
end

-- Returns the number of held permits. If the key `held` is gone, the sum in `tokens` is outdated, and is removed.
local function used()
  local holders = call('ZCARD', HELD)
  if holders == 0 then
    -- DEL only if the sum exists: after any write, even without effect, Redis would allow this script to write
    -- although its memory is full.
    if call('EXISTS', TOKENS) == 1 then
      call('DEL', TOKENS)
    end
    return 0
  end
  return holders + tonumber(call('HGET', TOKENS, '+') or 0)
end

local function look(i)
  local base = 1 + (i - 1) * STRIDE
  HELD, LINE, SEEN, GONE = KEYS[base + 1], KEYS[base + 2], KEYS[base + 3], KEYS[base + 4]
  TOKENS, ADDED = KEYS[base + 5], KEYS[base + 6]
  while true do
    local over = call('ZRANGE', HELD, '-inf', nowMillis, 'BYSCORE', 'LIMIT', 0, 1000)
    if #over == 0 then
      return
    end
    call('ZREM', HELD, unpack(over))
    call('HDEL', TOKENS, unpack(over))
    local fewer = 0
    for _, handle in ipairs(over) do
      local _, _, _, _, permits = parse(handle)
      fewer = fewer + 1 - permits
    end
    haveMore(fewer)
  end
end

-- Returns the token of a handle that holds the lock, 0 for locks without tokens, or nil.
local function tokenOf(handle)
  if not call('ZSCORE', HELD, handle) then
    return nil
  end
  return tonumber(call('HGET', TOKENS, handle) or 0)
end

local function admits(handle)
  local _, mode, limit, _, permits = parse(handle)
  if mode == 'p' then
    return used() + permits <= tonumber(limit) + tonumber(call('GET', ADDED) or 0)
  end
  local first = call('ZRANGE', HELD, 0, 0)[1]
  if not first then
    return true
  end
  local _, other = parse(first)
  return mode == 'r' and other == 'r'
end

-- Returns the milliseconds until a holder's lease can end by itself.
local function untilFree()
  local first = call('ZRANGE', HELD, 0, 0, 'WITHSCORES')[2]
  return first and first - nowMillis or -1
end

-- These locks do not pass on within a client.
local function ran()
end

local function mayRun()
  return false
end

-- Adds a holder, and returns its token, or 0 for a semaphore.
local function hold(handle, millis)
  local _, mode, _, _, permits = parse(handle)
  local token = 0
  haveMore(permits - 1)
  if mode ~= 'p' then
    token = nextToken(1)
    call('HSET', TOKENS, handle, string.format('%.0f', token))
  end
  call('ZADD', HELD, soonMillis + millis, handle)
  expireWithLeases()
  return token
end

-- Removes a holder; returns false if the handle does not hold the lock.
local function drop(handle)
  if call('ZREM', HELD, handle) == 0 then
    return false
  end
  call('HDEL', TOKENS, handle)
  local _, _, _, _, permits = parse(handle)
  haveMore(1 - permits)
  return true
end

-- Takes the lock away from all holders; returns up to 1000 former holders.
local function dropAll()
  local held = call('ZRANGE', HELD, 0, 999)
  call('DEL', HELD, TOKENS)
  return held
end

-- Extends a handle's lease to at least this many milliseconds from now; returns false if the handle does not hold
-- the lock.
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

-- Replaces a holder by a different handle, with the same token and a lease of this many milliseconds.
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

-- Returns the handle, the token and the rest of the lease of each holder, up to a limit.
local function holders(limit)
  local found, all = {}, call('ZRANGE', HELD, 0, limit - 1, 'WITHSCORES')
  for k = 1, #all, 2 do
    found[#found + 1] = {all[k], call('HGET', TOKENS, all[k]) or '0', all[k + 1] - nowMillis}
  end
  return found
end
