-- Counts the messages in each state. Runs after partition.lua.
--
-- KEYS     as in partition.lua
-- ARGV     1 as in partition.lua
-- Result   [scheduled, ready, leased, dead, remembered ids, 1 if paused, the note of the pause or an empty text,
--          the field `limits` as in limits.lua or an empty text, the milliseconds since the earliest due time of
--          the ready messages or 0, 1 if messages are in no place else 0: see inspect.lua]
-- Cost     logarithmic in the number of messages
-- Repeated only reads

local waiting = call('ZCARD', SCHEDULED)
local ready = call('ZCOUNT', SCHEDULED, '-inf', text(nowMillis))
local done = call('ZCOUNT', DONE, '(' .. text(nowMillis), '+inf')
local first = ready > 0 and tonumber(call('ZRANGE', SCHEDULED, '0', '0', 'WITHSCORES')[2]) or nowMillis
local leased, dead = call('ZCARD', LEASED), call('ZCARD', DEAD)
local contents = call('HLEN', MESSAGES) - (call('HGET', MESSAGES, '') and 1 or 0)
return {
  waiting - ready, ready, leased, dead, done, paused and 1 or 0,
  paused and call('HGET', META, 'note') or '', limits or '',
  text(math.min(nowMillis - first, 9007199254740991)),
  (contents > waiting + leased + dead or call('HLEN', LEASES) > leased) and 1 or 0,
}
