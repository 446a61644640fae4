-- Writes behind a session's call, so that WAIT and WAITAOF on this connection cover the call.
--
-- KEYS     1 session
-- ARGV     1 number of the call
-- Result   1; 0 without effect if this server has not carried the call out, or has lost it
-- Cost     two commands
-- Twice    the same again
--
-- The session's hash is written by the script that carries a call out, so its number proves that this
-- server has the call's changes, even if the server that answered the call has failed.

local SESSION_SECONDS = 4200  -- as in session.lua

local last = redis.call('HGET', KEYS[1], 'last')
if (tonumber(last or '') or 0) < tonumber(ARGV[1]) then
  return 0
end
redis.call('EXPIRE', KEYS[1], SESSION_SECONDS)
return 1
