-- A lock that one handle holds at a time: mutex, reentrant, fair.
--
-- KEYS     of each lock: held (a string, "handle token run", that expires with the lease;
--          run: how many times it passed on within a client until it came to this handle), line, seen, gone
--
-- look(i) turns to lock i; the other functions are about that one.

local STRIDE = 4
local HELD, LINE, SEEN, GONE
local holder, holderToken
local run = 0

-- A mutex may pass on within a client so many times, in a reply or without a word to the server; so
-- for each holder that the server does not learn of, a fencing token is set aside; by acquirefree.lua too.
local LONGEST_RUN = 16

local function look(i)
  local base = 1 + (i - 1) * STRIDE
  HELD, LINE, SEEN, GONE = KEYS[base + 1], KEYS[base + 2], KEYS[base + 3], KEYS[base + 4]
  local held = call('GET', HELD)
  holder, holderToken, run = nil, nil, 0
  if held then
    holder, holderToken, run = string.match(held, '^(%S+) (%d+) ?(%d*)$')
    run = tonumber(run) or 0
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

-- Whether the lock may pass to a waiter of the same client before others who came earlier.
local function mayRun()
  return run + 1 < LONGEST_RUN
end

local function hold(handle, millis, runs)
  local _, mode = parse(handle)
  local token = nextToken(mode == 'x' and LONGEST_RUN or 1)
  holder, holderToken, run = handle, token, runs and run + 1 or 0
  call('SET', HELD, handle .. string.format(' %.0f %.0f', token, run), 'PX', millis)
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

-- Lets a handle's lease begin anew; false if it has none.
local function renew(handle, lease)
  if holder ~= handle then
    return false
  end
  call('PEXPIRE', HELD, lease)
  return true
end

-- Handles and what is left of their leases, up to a limit.
local function holders(limit)
  return holder and {{holder, holderToken, call('PTTL', HELD)}} or {}
end
