-- The beginning of every script about locks: its clock, the fencing counter of the locks' bucket, and
-- what a handle's id tells.
--
-- KEYS     1 counter; then those of each lock, as the next file says
-- A handle's id is client:number:mode:lease, with the lease in milliseconds and the mode x (mutex),
-- f (fair), r (read), w (write) or p and a number (one of so many permits; with a point and a second number,
-- that many of them at once).

local call = redis.call
local COUNTER = KEYS[1]

local time = call('TIME')
local micros = time[1] * 1000000 + time[2]
local nowMillis = math.floor(micros / 1000)  -- a lease that ends by then is over
local soonMillis = math.ceil(micros / 1000)  -- leases begin here, so that none is too short

-- Returns client, mode, limit of permits as text, lease, how many permits it takes.
local function parse(handle)
  local client, mode, limit, permits, lease = string.match(handle, '^(%w+):%w+:(%a)(%d*)%.?(%d*):(%d+)$')
  return client, mode, limit, tonumber(lease), tonumber(permits) or 1
end

-- The next fencing token, and so many in a row: above all earlier ones of the bucket, and about what
-- the clock says.
local function nextToken(count)
  local token = math.max(tonumber(call('GET', COUNTER) or 0) + 1, micros)
  call('SET', COUNTER, string.format('%.0f', token + count - 1))
  return token
end
