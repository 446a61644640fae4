-- The first file of a script about many partitions: the clock, and a reply whose first value is the time in
-- microseconds.

local call = redis.call
local time = call('TIME')
local nowMillis = math.floor(time[1] * 1000 + time[2] / 1000)
local reply = {string.format('%.0f', time[1] * 1000000 + time[2])}
