-- The first file of the lock scripts: the clock, the fencing counter of the bucket, and the parser of handle ids.
--
-- KEYS     1 counter; then each lock's keys, see exclusive.lua and shared.lua
-- A handle's id is client:number:mode:lease, with the lease in milliseconds and the mode x (mutex),
-- f (fair), r (read), w (write) or p (permits). Two numbers may follow p: the number of permits of the
-- semaphore, and after a point the number of permits that the handle takes, if above 1.

local call = redis.call
local COUNTER = KEYS[1]

local time = call('TIME')
local micros = time[1] * 1000000 + time[2]
local nowMillis = math.floor(micros / 1000)  -- leases that end by then are over
local soonMillis = math.ceil(micros / 1000)  -- leases start here, so that no lease is too short

-- Returns client, mode, the semaphore's permits as text, lease, the permits that the handle takes.
local function parse(handle)
  local client, mode, limit, permits, lease = string.match(handle, '^(%w+):%w+:(%a)(%d*)%.?(%d*):(%d+)$')
  return client, mode, limit, tonumber(lease), tonumber(permits) or 1
end

-- Returns the first of this many new fencing tokens: above all earlier tokens of the bucket, and close to the
-- server's clock.
local function nextToken(count)
  local token = math.max(tonumber(call('GET', COUNTER) or 0) + 1, micros)
  call('SET', COUNTER, string.format('%.0f', token + count - 1))
  return token
end
