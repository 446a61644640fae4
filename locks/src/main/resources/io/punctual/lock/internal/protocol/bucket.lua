-- The first file of most lock scripts: the clock, the fencing counter of the bucket, and the parser of handle ids.
--
-- KEYS     1 counter; then each lock's keys, see exclusive.lua and shared.lua
--
-- A handle's id is client:number:mode:lease. The lease is in milliseconds. The mode is x (mutex), f (fair), r (read),
-- w (write) or p (permits). After p follows the number of permits of the semaphore and, if the handle takes more than
-- 1 permit, a point and the number of permits that it takes.

local call = redis.call
local COUNTER = KEYS[1]

local time = call('TIME')
local micros = time[1] * 1000000 + time[2]
local nowMillis = math.floor(micros / 1000)  -- leases with this end or an earlier end have expired
local soonMillis = math.ceil(micros / 1000)  -- leases start at this time, so that no lease is too short

-- Returns the client, the mode, the semaphore's permits as text, the lease, and the permits that the handle takes.
local function parse(handle)
  local client, mode, limit, permits, lease = string.match(handle, '^(%w+):%w+:(%a)(%d*)%.?(%d*):(%d+)$')
  return client, mode, limit, tonumber(lease), tonumber(permits) or 1
end

-- Reserves `count` new fencing tokens, and returns the first of them. It is above all earlier tokens of the bucket,
-- and at least the server's time in microseconds.
local function nextToken(count)
  local token = math.max(tonumber(call('GET', COUNTER) or 0) + 1, micros)
  call('SET', COUNTER, string.format('%.0f', token + count - 1))
  return token
end
