-- A lock that one handle holds at a time: mutex, reentrant, fair.
--
-- KEYS     of each lock: held (a string, "handle token", that expires with the lease), line, seen, gone
--
-- look(i) turns to lock i; the other functions are about that one.

local STRIDE = 4
local HELD, LINE, SEEN, GONE
local holder, holderToken

local function look(i)
  local base = 1 + (i - 1) * STRIDE
  HELD, LINE, SEEN, GONE = KEYS[base + 1], KEYS[base + 2], KEYS[base + 3], KEYS[base + 4]
  local held = call('GET', HELD)
  holder, holderToken = nil, nil
  if held then
    holder, holderToken = string.match(held, '^(%S+) (%d+)$')
  end
end

-- The token under which a handle holds the lock, or nil.
local function tokenOf(handle)
  return holder == handle and tonumber(holderToken) or nil
end

local function admits(handle)
  return not holder
end

-- Milliseconds that are left of a handle's lease.
local function left(handle)
  return call('PTTL', HELD)
end

-- Milliseconds until the lock can become free by itself.
local function untilFree()
  return call('PTTL', HELD)
end

local function hold(handle, millis)
  local token = nextToken()
  holder, holderToken = handle, token
  call('SET', HELD, handle .. ' ' .. string.format('%.0f', token), 'PX', millis)
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
