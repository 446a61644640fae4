-- Requests locks of the same bucket, each for a handle. A handle that waits repeats its request. Runs after line.lua
-- and the files before it; see LockScripts.
--
-- KEYS     counter, then each lock's keys
-- ARGV     1 the publishing command, see line.lua; then for each lock: handle, whether it may wait (0, 1), its arrival
--          or 0, whether the request is repeated (0, 1)
-- Result   for each lock a code and two numbers:
--          'G' granted: token, milliseconds left of the lease
--          'W' the handle waits: arrival, milliseconds until the lock can become free by itself
--          'N' a different handle holds the lock: 0, milliseconds until the lock can become free by itself
--          'L' the server refuses the handle, which its client gave up before: 0, 0
--          'I' the id belongs to a different handle, since the server knows it and the request is not repeated: 0, 0.
--              Two clients have the same ids if they were restored from one image of a process.
--          Then handle, token and milliseconds of each lock that was granted to a different handle of this client.
-- Cost     about 10 microseconds a lock
-- Repeated if the handle holds the lock, returns the same token and renews the lease; if the handle waits, keeps its
--          place in the line; no effect after the client gave up the handle
--
-- A lock that became free by itself is granted to the first waiter in the line, not to the requesting handle.

local reply = {}
local client
for i = 1, (#ARGV - 1) / 4 do
  local handle, waits, arrived = ARGV[4 * i - 2], ARGV[4 * i - 1] == '1', tonumber(ARGV[4 * i])
  local isFirst = ARGV[4 * i + 1] == '0'
  local owner, _, _, lease = parse(handle)
  client = client or owner
  look(i)
  local token = tokenOf(handle)
  local code, first, second = 'N', 0, 0
  if isFirst and (token or call('ZSCORE', LINE, handle) or call('EXISTS', GONE) == 1) then
    code = 'I'
  elseif token then
    -- A repeated request of the holder writes as well: since Redis 7.2, WAIT after a script without a write
    -- does not wait for the replicas.
    renew(handle, lease)
    code, first, second = 'G', token, lease
  elseif call('EXISTS', GONE) == 1 then
    code = 'L'
  else
    local alone = passOn(handle)
    token = tokenOf(handle)
    if not token and alone and admits(handle) then
      if arrived > 0 then
        leave(handle)
      end
      token = hold(handle, lease)
    end
    if token then
      code, first, second = 'G', token, lease
    elseif waits then
      code, first, second = 'W', wait(handle, arrived), untilFree()
    else
      second = untilFree()
    end
  end
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = code, first, second
end
return notify(client, reply)
