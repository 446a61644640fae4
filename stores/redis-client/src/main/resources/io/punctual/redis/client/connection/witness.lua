-- Verifies that this server has run a session's call, and then writes, so that WAIT and WAITAOF over the same
-- connection cover the call.
--
-- KEYS     1 session
-- ARGV     1 number of the call
-- Result   1; 0 without effect if this server has not run the call, or has lost it
-- Cost     two commands
-- Repeated same effect and result
--
-- The script of a call writes the call's number into the session's hash, together with its changes. So the number
-- proves that this server has the changes, even if a different server ran the call and failed.

local SESSION_SECONDS = 4200  -- as in session.lua

local last = redis.call('HGET', KEYS[1], 'last')
if (tonumber(last or '') or 0) < tonumber(ARGV[1]) then
  redis.call('HDEL', KEYS[1], '0')  -- without effect; a read-only replica, which may only lag, refuses it
  return 0
end
redis.call('EXPIRE', KEYS[1], SESSION_SECONDS)
return 1
