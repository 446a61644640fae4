-- The line of the waiters for a lock, in the order of arrival, and the grants to them. Runs after exclusive.lua or
-- shared.lua (`admits`, `hold`, `mayRun` and the keys).
--
-- KEYS     of each lock: line (a zset: handle -> arrival in microseconds), seen (a zset: handle -> time of its last
--          request in milliseconds); both expire LINE_MILLIS after the last request of a waiter
-- ARGV     1 the publishing command: PUBLISH or SPUBLISH, a space, and the prefix of the clients' channels
--
-- A waiter repeats its request at least every second, and is removed after SILENCE without a request. A grant to a
-- waiter that has died delays the next waiters by at most LEASE_WHEN_GRANTED milliseconds.

local SILENCE = 2000
local LINE_MILLIS = 5000
local MOST_GRANTS = 200
local NEAR = 16
local PUBLISH, CHANNEL = string.match(ARGV[1], '^(%u+) (.*)$')

local grants = {}  -- handle, token, milliseconds, handle, token, …

local function removeSilent()
  local silent = call('ZRANGE', SEEN, '-inf', nowMillis - SILENCE, 'BYSCORE', 'LIMIT', 0, 1000)
  if #silent > 0 then
    call('ZREM', SEEN, unpack(silent))
    call('ZREM', LINE, unpack(silent))
  end
end

-- Adds a handle to the line, at the place `arrived`, or at the end if that is 0; a handle in the line keeps its place.
-- Records the request, and returns the arrival. If memory is full, Redis refuses only new waiters: for waiters in the
-- line, the first write is a ZREM, which Redis allows.
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

-- Returns the next waiter, and whether the lock passes on within a client. The next waiter is the first waiter in
-- the line. But a mutex (not a fair lock) prefers a waiter of the releasing client, if it is among the first NEAR
-- waiters and mayRun() allows it, because most of the cost of a grant is to wake a different process.
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

-- Grants the lock to the next waiters. A grant to the requesting handle has its whole lease, since its client is
-- alive. The other grants have short leases, and notify() sends them. Returns whether the line is empty.
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

-- Notifies the clients of the granted locks: the asking client in its reply, the other clients on their channels.
local function notify(client, reply)
  for k = 1, #grants, 3 do
    local owner = parse(grants[k])
    if owner == client then
      local n = #reply
      reply[n + 1], reply[n + 2], reply[n + 3] = grants[k], grants[k + 1], grants[k + 2]
    else
      redis.pcall(PUBLISH, CHANNEL .. owner,
          grants[k] .. string.format(' %.0f %.0f', grants[k + 1], grants[k + 2]))
    end
  end
  return reply
end
