-- Turns a writer into a reader, under the same token and what is left of its lease.
--
-- KEYS     counter, and those of the lock
-- ARGV     1 how clients are told, 2 the writer's handle, 3 the reader's
-- Result   1, or 0 if the writer does not hold the lock or the reader was given up; then handle, token and milliseconds of each
--          lock that passed to another handle of this client
-- Cost     about 10 microseconds, and 10 for each grant
-- Twice    it answers 1 and does nothing more

local writer, reader = ARGV[2], ARGV[3]
look(1)
local ends = call('ZSCORE', HELD, writer)
if ends and call('EXISTS', GONE) == 0 then
  replace(writer, reader, ends - soonMillis)
  passOn(nil)
end
return tell(parse(reader), {tokenOf(reader) and 1 or 0})
