-- Counts the free permits of a semaphore, and adds or removes permits. Runs after bucket.lua, shared.lua and line.lua.
--
-- KEYS     counter, and the semaphore's keys; `gone` has the result of this call, for repeated calls
-- ARGV     1 the publishing command, see line.lua, 2 the number of permits that the client set, 3 how many permits to
--          add (negative to remove permits, 0 to count), or drain to remove all free permits, 4 the maximum number of
--          permits, 5 how many milliseconds to remember the call, 6 whether the call is repeated (0, 1)
-- Result   the number of permits that were free before, the number of permits now, whether the change was made (1, 0);
--          'I' without effect if the id belongs to a different call, see acquire.lua
-- Cost     about 10 microseconds, and 10 for each grant
-- Repeated returns the same result and changes nothing more
--
-- A change to a negative number of permits, or to more than the maximum, is refused.

local limit, change, most, millis = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
look(1)
local known = call('GET', GONE)
if known then
  if ARGV[6] == '0' then
    return {'I'}
  end
  local free, total = string.match(known, '^(%-?%d+) (%-?%d+)$')
  return {tonumber(free), tonumber(total), 1}
end
local added = tonumber(call('GET', ADDED) or 0)
local free = limit + added - used()
added = added + (change == 'drain' and -math.max(free, 0) or tonumber(change))
local total = limit + added
if change == '0' then
  return {free, total, 1}
elseif total < 0 or total > most then
  return {free, limit + tonumber(call('GET', ADDED) or 0), 0}
end
call('DEL', GONE)  -- without effect; allowed when memory is full, and Redis then allows the later writes
call('SET', GONE, string.format('%.0f %.0f', free, total), 'PX', millis)
if added == 0 then
  call('DEL', ADDED)
else
  call('SET', ADDED, string.format('%.0f', added))
end
passOn(nil)
return notify(nil, {free, total, 1})
