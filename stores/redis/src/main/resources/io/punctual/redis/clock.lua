-- The beginning of a script about many partitions: the clock, and a reply that begins with it.

local call = redis.call
local time = call('TIME')
local nowMillis = math.floor(time[1] * 1000 + time[2] / 1000)
local reply = {string.format('%.0f', time[1] * 1000000 + time[2])}
