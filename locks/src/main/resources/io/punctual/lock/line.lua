-- Those who wait for a lock, in the order in which they came, and how the lock passes to them.
--
-- KEYS     line (a zset, handle -> arrival in microseconds), seen (a zset, handle -> when it was heard
--          last, in milliseconds); both expire when nobody waits any more
-- ARGV     1 how clients are told: PUBLISH or SPUBLISH, a space, and what the names of their channels
--          begin with
--
-- Who waits asks again at least every second. Who was not heard for two is removed: a waiter that
-- died costs the others no more than LEASE_WHEN_GRANTED.

local SILENCE = 2000
local LINE_MILLIS = 5000
local MOST_GRANTS = 200
local NEAR = 16
local TELL, CHANNEL = string.match(ARGV[1], '^(%u+) (.*)$')

local grants = {}  -- handle, token, milliseconds, handle, token, …

local function removeSilent()
  local silent = call('ZRANGE', SEEN, '-inf', nowMillis - SILENCE, 'BYSCORE', 'LIMIT', 0, 1000)
  if #silent > 0 then
    call('ZREM', SEEN, unpack(silent))
    call('ZREM', LINE, unpack(silent))
  end
end

-- Puts a handle into the line, at the place that it had, and takes note that it lives. Returns when it
-- arrived. A full Redis refuses newcomers, and nobody else.
local function wait(handle, arrived)
  if arrived > 0 then
    call('ZREM', SEEN, handle)
  end
  local arrival = call('ZSCORE', LINE, handle)
  if not arrival then
    local last = call('ZRANGE', LINE, -1, -1, 'WITHSCORES')[2]
    arrival = arrived > 0 and arrived or math.max(micros, (tonumber(last) or 0) + 1)
    call('ZADD', LINE, arrival, handle)
  end
  call('ZADD', SEEN, nowMillis, handle)
  call('PEXPIRE', LINE, LINE_MILLIS)
  call('PEXPIRE', SEEN, LINE_MILLIS)
  return tonumber(arrival)
end

local function leave(handle)
  call('ZREM', SEEN, handle)
  return call('ZREM', LINE, handle) == 1
end

-- Whose turn it is: the first in the line. A mutex that is no fair one passes between waiters of one
-- client for up to a tenth of a second, if one of the first few is of it: most of the cost of passing it
-- on is to wake another process.
local function nextInLine(client)
  local near = call('ZRANGE', LINE, 0, client and mayRun() and NEAR - 1 or 0)
  local first = near[1]
  if not first or not near[2] then
    return first, false
  end
  for _, handle in ipairs(near) do
    local owner, mode = parse(handle)
    if mode ~= 'x' then
      break
    elseif owner == client then
      return handle, true
    end
  end
  return first, false
end

-- Gives the lock to those whose turn it is. They are told by grant(), but for the one that asks, which
-- is heard in this moment and gets its whole lease. Returns whether nobody is left in the line.
local function passOn(asking, client)
  if call('EXISTS', LINE) == 0 then
    return true
  end
  removeSilent()
  for _ = 1, MOST_GRANTS do
    local first, runs = nextInLine(client)
    if not first then
      return true
    elseif not admits(first) then
      return false
    end
    leave(first)
    local _, _, _, lease = parse(first)
    if first == asking then
      hold(first, lease, runs)
    else
      local millis = math.min(lease, LEASE_WHEN_GRANTED)
      local n = #grants
      grants[n + 2] = hold(first, millis, runs)
      grants[n + 1], grants[n + 3] = first, millis
    end
  end
  return false
end

-- Tells those who got a lock: the asking client in its reply, the others on their channels.
local function tell(client, reply)
  for k = 1, #grants, 3 do
    local owner = parse(grants[k])
    if owner == client then
      local n = #reply
      reply[n + 1], reply[n + 2], reply[n + 3] = grants[k], grants[k + 1], grants[k + 2]
    else
      redis.pcall(TELL, CHANNEL .. owner,
          grants[k] .. string.format(' %.0f %.0f', grants[k + 1], grants[k + 2]))
    end
  end
  return reply
end
