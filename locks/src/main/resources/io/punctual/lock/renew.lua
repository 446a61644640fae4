-- Renews the leases of locks of the same bucket.
--
-- KEYS     counter, then each lock's keys
-- ARGV     the handle of each lock
-- Result   for each lock the fencing token, or 0 for locks without, if the handle holds it, else -1
-- Cost     about 3 microseconds a lock
-- Twice    the leases end later

local reply = {}
for i, handle in ipairs(ARGV) do
  local _, _, _, lease = parse(handle)
  look(i)
  reply[i] = renew(handle, lease) and tokenOf(handle) or -1
end
return reply
