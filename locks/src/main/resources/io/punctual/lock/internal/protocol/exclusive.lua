-- The functions of a lock that a single handle holds at a time: mutex, fair and reentrant locks. Runs after
-- bucket.lua; shared.lua defines the same functions for other locks.
--
-- KEYS     of each lock: held, line, seen, gone
--          held   a string that expires with the lease: "handle token run began"
--                   run    how many times in a row the lock passed on within the holder's client
--                   began  when the first holder of this run got the lock, in milliseconds
--          line   and seen: see line.lua
--          gone   exists while the server refuses the handle of this request
--
-- look(i) selects lock i; the other functions work on the selected lock.

local STRIDE = 4
local HELD, LINE, SEEN, GONE
local holder, holderToken
local run, runBegan = 0, nowMillis

-- While other clients wait, a mutex may pass from holder to holder within a client LONGEST_RUN times and for
-- LONGEST_RUN_MILLIS. A script passes it on, or the client does so without a script. For the later holders without a
-- script, each acquisition reserves fencing tokens; acquirefree.lua does the same. HandOver.java defines these
-- constants.

local function look(i)
  local base = 1 + (i - 1) * STRIDE
  HELD, LINE, SEEN, GONE = KEYS[base + 1], KEYS[base + 2], KEYS[base + 3], KEYS[base + 4]
  local held = call('GET', HELD)
  holder, holderToken, run, runBegan = nil, nil, 0, nowMillis
  if held then
    holder, holderToken, run, runBegan = string.match(held, '^(%S+) (%d+) ?(%d*) ?(%d*)$')
    run, runBegan = tonumber(run) or 0, tonumber(runBegan) or nowMillis
  end
end

-- Returns the token of a handle that holds the lock, or nil.
local function tokenOf(handle)
  return holder == handle and tonumber(holderToken) or nil
end

local function admits(handle)
  return not holder
end

-- Returns the milliseconds until the lock can become free by itself.
local function untilFree()
  return call('PTTL', HELD)
end

-- Adds the number of times that the client passed the lock on without a script.
local function ran(times)
  run = run + times
end

-- Returns whether the lock may pass to a waiter of the same client before waiters that arrived earlier.
local function mayRun()
  return run + 1 < LONGEST_RUN and nowMillis - runBegan < LONGEST_RUN_MILLIS
end

-- Makes a handle the holder of a free lock, and returns its token; `runs` if the lock passes on within a client.
local function hold(handle, millis, runs)
  local _, mode = parse(handle)
  local token = nextToken(mode == 'x' and LONGEST_RUN or 1)
  if runs then
    run = run + 1
  else
    run, runBegan = 0, nowMillis
  end
  holder, holderToken = handle, token
  call('SET', HELD, handle .. string.format(' %.0f %.0f %.0f', token, run, runBegan), 'PX', millis)
  return token
end

-- Removes the holder; returns false if the handle does not hold the lock.
local function drop(handle)
  if holder ~= handle then
    return false
  end
  call('DEL', HELD)
  holder, holderToken = nil, nil
  return true
end

-- Takes the lock away from its holder; returns the former holders.
local function dropAll()
  local held = holder and {holder} or {}
  call('DEL', HELD)
  holder, holderToken = nil, nil
  return held
end

-- Extends a handle's lease to at least this many milliseconds from now; returns false if the handle does not hold
-- the lock.
local function renew(handle, lease)
  if holder ~= handle then
    return false
  end
  call('PEXPIRE', HELD, math.max(lease, call('PTTL', HELD)))
  return true
end

-- Makes a different handle the holder, with the same token and a lease of this many milliseconds.
local function replace(_, other, millis)
  holder = other
  call('PEXPIRE', HELD, millis)  -- allowed when memory is full; Redis then allows the later writes
  call('SET', HELD, other .. string.format(' %.0f %.0f %.0f', holderToken, run, runBegan), 'PX', millis)
end

-- Returns the handle, the token and the rest of the lease of each holder, up to a limit.
local function holders(limit)
  return holder and {{holder, holderToken, call('PTTL', HELD)}} or {}
end
