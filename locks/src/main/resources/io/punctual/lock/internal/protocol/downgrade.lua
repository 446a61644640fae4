-- Turns a writer into a reader, with the same token and the rest of its lease. Runs after bucket.lua, shared.lua and
-- line.lua.
--
-- KEYS     counter, and the lock's keys
-- ARGV     1 the publishing command, see line.lua, 2 the writer's handle, 3 the reader's handle
-- Result   1, or 0 if the writer does not hold the lock or its client gave up the reader; then handle, token and
--          milliseconds of each lock that was granted to a different handle of this client. 'I' without effect if the
--          reader's id belongs to a different handle, see acquire.lua
-- Cost     about 10 microseconds, and 10 for each grant
-- Repeated returns 'I' and changes nothing more; a client sends it once for each reader

local writer, reader = ARGV[2], ARGV[3]
look(1)
if tokenOf(reader) or call('ZSCORE', LINE, reader) then
  return {'I'}
end
local ends = call('ZSCORE', HELD, writer)
if ends and call('EXISTS', GONE) == 0 then
  replace(writer, reader, ends - soonMillis)
  passOn(nil)
end
return notify(parse(reader), {tokenOf(reader) and 1 or 0})
