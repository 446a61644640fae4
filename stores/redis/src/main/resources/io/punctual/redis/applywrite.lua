-- Writes the changes of a call in a few bulk commands. Runs after applyrules.lua and partition.lua (`bulk`, `spare`, `purgesWaiting`),
-- and defines `difference` and `write` for later files.

-- Returns the changes to write, and their lowest score.
local function difference()
  local d = {s = {}, l = {}, dead = {}, done = {}, noS = {}, noL = {}, noD = {}, noF = {}, lease = {},
      message = {}, retry = {}, gone = {}, untried = {}, new = {}}
  local lowest = math.huge
  local function add(list, a, b)
    local n = #list
    list[n + 1] = a
    list[n + 2] = b
  end
  for _, id in ipairs(ids) do
    local item = items[id]
    local from, at = was[id], item.at
    if from ~= at then
      if from == 'S' then
        add(d.noS, id)
      elseif from == 'L' then
        add(d.noL, id)
      elseif from == 'D' then
        add(d.noD, id)
      elseif from == 'F' then
        add(d.noF, id)
      end
      if not at or at == 'F' then
        add(d.gone, id)
      end
    end
    if at == 'F' and (from ~= at or item.scored) then
      add(d.done, item.due, id)
    end
    if at == 'D' and (from ~= at or item.died) then
      add(d.dead, item.died or nowMillis, id)
    end
    if at == 'S' and item.scored then
      add(d.s, item.due, id)
      lowest = math.min(lowest, item.due)
    elseif at == 'L' then
      if item.ends then
        add(d.l, item.ends, id)
        lowest = math.min(lowest, item.ends)
      end
      if item.remark then
        add(d.lease, id, item.token .. ' ' .. text(item.due) .. item.holder .. ' ' .. item.attempts .. ' c')
      end
    end
    if item.content then
      add(d.message, id, ARGV[item.content])
    end
    if item.keep then
      add(d.retry, id, item.keep)
    elseif from and (item.forget or not at or (at == 'F' and from ~= at)) then
      add(d.untried, id)
    end
    -- A new due time can move a waiting message from the scheduled messages to the ready messages, or back.
    local moves = at == 'S' and from == at and item.scored and not purgesWaiting
        and (tonumber(wasAt[id]) <= nowMillis) ~= (item.due <= nowMillis)
    if at and (from ~= at or item.content or moves) then
      add(d.new, id)
    end
  end
  return d, lowest
end

-- Removes remembered ids whose time is over, at most FORGOTTEN; a call adds no more than that. The whole key expires
-- after its last id, so that nothing stays if no call remembers ids any more.
local FORGOTTEN = 1000

local function forget()
  local over = call('ZCOUNT', DONE, '-inf', text(nowMillis))
  if over > 0 then
    call('ZREMRANGEBYRANK', DONE, 0, math.min(over, FORGOTTEN) - 1)
  end
  local last = tonumber(call('ZRANGE', DONE, -1, -1, 'WITHSCORES')[2])
  call('EXPIRE', DONE, text(math.ceil((last - nowMillis) / 1000) + 1))
end

-- Adds each message to its new key before it removes the message from the old key. First runs the removing commands
-- without effect, because Redis refuses a command that the user may not run, but does not undo the commands before
-- it.
local function write(d)
  if #d.noS + #d.noL + #d.noD + #d.noF + #d.gone + #d.untried > 0 then
    call('ZREM', SCHEDULED, string.rep(' ', 257))  -- a member that is longer than any id
    call('HDEL', META, '0')
  end
  if purging then
    spare(d.new)
  end
  bulk('ZADD', SCHEDULED, d.s)
  bulk('ZADD', LEASED, d.l)
  bulk('ZADD', DEAD, d.dead)
  bulk('ZADD', DONE, d.done)
  bulk('HSET', LEASES, d.lease)
  bulk('HSET', MESSAGES, d.message)
  bulk('HSET', RETRIES, d.retry)
  bulk('ZREM', SCHEDULED, d.noS)
  bulk('ZREM', LEASED, d.noL)
  bulk('ZREM', DEAD, d.noD)
  bulk('ZREM', DONE, d.noF)
  bulk('HDEL', LEASES, d.noL)
  bulk('HDEL', MESSAGES, d.gone)
  bulk('HDEL', RETRIES, d.untried)
  if #d.done > 0 then
    forget()
  end
  if most > largest then
    call('HSET', META, 'largest', most)
  end
end
