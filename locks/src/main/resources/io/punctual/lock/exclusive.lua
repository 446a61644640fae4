-- A lock that one handle holds at a time: mutex, reentrant, fair.
--
-- KEYS     of each lock: held (a string, "handle token run began", that expires with the lease), line, seen, gone
--          run: how many times in a row the lock passed on within the client of this handle
--          began: when the first handle of that run got the lock, in milliseconds
--
-- look(i) turns to lock i; the other functions are about that one.

local STRIDE = 4
local HELD, LINE, SEEN, GONE
local holder, holderToken
local run, runBegan = 0, nowMillis

-- A mutex may pass on within a client LONGEST_RUN times and for LONGEST_RUN_MILLIS, in a reply or without a
-- script. Each acquisition sets a fencing token aside for each holder without a script; acquirefree.lua does
-- the same. HandOver.java defines these constants.

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

-- The token under which a handle holds the lock, or nil.
local function tokenOf(handle)
  return holder == handle and tonumber(holderToken) or nil
end

local function admits(handle)
  return not holder
end

-- Milliseconds until the lock can become free by itself.
local function untilFree()
  return call('PTTL', HELD)
end

-- Takes note that the lock passed on within the client of its holder.
local function ran(times)
  run = run + times
end

-- Whether the lock may pass to a waiter of the same client before waiters that came earlier.
local function mayRun()
  return run + 1 < LONGEST_RUN and nowMillis - runBegan < LONGEST_RUN_MILLIS
end

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

-- Gives the lock back, if the handle has it.
local function drop(handle)
  if holder ~= handle then
    return false
  end
  call('DEL', HELD)
  holder, holderToken = nil, nil
  return true
end

local function dropAll()
  local held = holder and {holder} or {}
  call('DEL', HELD)
  holder, holderToken = nil, nil
  return held
end

-- Lets a handle's lease last for so long from now on, unless it lasts longer; false if it has none.
local function renew(handle, lease)
  if holder ~= handle then
    return false
  end
  call('PEXPIRE', HELD, math.max(lease, call('PTTL', HELD)))
  return true
end

-- Gives the holder's place to another handle, under the same token and a lease of so long.
local function replace(_, other, millis)
  holder = other
  call('SET', HELD, other .. string.format(' %.0f %.0f %.0f', holderToken, run, runBegan), 'PX', millis)
end

-- Handles and what is left of their leases, up to a limit.
local function holders(limit)
  return holder and {{holder, holderToken, call('PTTL', HELD)}} or {}
end
