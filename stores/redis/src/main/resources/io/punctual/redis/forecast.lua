-- Counts the scheduled and ready messages whose due times lie in each of several adjacent spans of time. Runs
-- after partition.lua.
--
-- KEYS     as in partition.lua
-- ARGV     1 as in partition.lua, then the beginning of each span and the end of the last span, in milliseconds
-- Result   a number for each span
-- Cost     about 1 microsecond a span, independent of the number of messages
-- Repeated only reads

local counts = {}
for i = 2, #ARGV - 1 do
  counts[i - 1] = call('ZCOUNT', SCHEDULED, ARGV[i], '(' .. ARGV[i + 1])
end
return counts
