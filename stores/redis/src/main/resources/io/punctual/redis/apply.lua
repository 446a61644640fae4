-- Runs operations of any kind in their order. The header of applyfast.lua has the arguments and results. Runs
-- after applyfast.lua (`FIRST`, `ARGUMENTS`, `head`, `code`) and the files before it: partition.lua (keys,
-- clock, `earliest`, `bulk`, `spare`), session.lua (`remember`, `takeBack`) and wake.lua; see PartitionScripts.
--
-- Reads the states of all ids in a few bulk commands, runs the operations on Lua tables, and writes the
-- changes in a few bulk commands. If memory is full, schedules that would store a message have the outcome f,
-- and all other operations run: once a script has written, Redis allows its later writes.

-- The number of arguments of an operation of each kind, including its letter.
local SIZE = {
  k = 4, j = 4, r = 4, e = 4, c = 2, m = 3, n = 2, v = 3, x = 2, a = 3, t = 5, b = 4, h = 4, g = 4,
  o = 5, i = 7, d = 4, f = 3,
}
local SETTLES = {a = true, d = true, t = true, b = true, h = true, g = true, o = true}

-- Converts lists of schedules into single schedules.
local ARGV, ARGUMENTS = ARGV, ARGUMENTS
if code == 'S' then
  local kinds = ARGV[FIRST + 1]
  local n = #kinds
  local contents, dues = FIRST + 2, FIRST + 2 + 2 * n
  local each = {}
  for k = 1, n do
    local at = FIRST + 4 * k - 4
    each[at], each[at + 1] = string.sub(kinds, k, k), ARGV[contents + 2 * k - 2]
    each[at + 2], each[at + 3] = ARGV[dues + k - 1], ARGV[contents + 2 * k - 1]
  end
  ARGV, ARGUMENTS = each, FIRST + 4 * n - 1
end

-- The places of the ids before this call: S, L, D, F, or false (was), and their scores or lease records (wasAt).
local was, wasAt = {}, {}
local ids = {}

local function findLeases(those)
  if #those == 0 then
    return those
  end
  local records = call('HMGET', LEASES, unpack(those))
  local missing = {}
  for k = 1, #those do
    local id = those[k]
    if records[k] then
      was[id], wasAt[id] = 'L', records[k]
    else
      missing[#missing + 1] = id
    end
  end
  return missing
end

local function findScores(key, place, those)
  if #those == 0 or call('ZCARD', key) == 0 then
    return those
  end
  local scores = call('ZMSCORE', key, unpack(those))
  local missing = {}
  for k = 1, #those do
    local id = those[k]
    if scores[k] then
      was[id], wasAt[id] = place, scores[k]
    else
      missing[#missing + 1] = id
    end
  end
  return missing
end

local function read()
  local settled, others = {}, {}
  local i, last = FIRST, ARGUMENTS
  while i <= last do
    local kind, id = ARGV[i], ARGV[i + 1]
    if was[id] == nil then
      was[id] = false
      ids[#ids + 1] = id
      local list = SETTLES[kind] and settled or others
      list[#list + 1] = id
    end
    i = i + SIZE[kind]
  end
  for _, id in ipairs(findLeases(settled)) do
    others[#others + 1] = id
  end
  findScores(DONE, 'F', findScores(DEAD, 'D', findLeases(findScores(SCHEDULED, 'S', others))))
end

-- The results of a run: the items by id, each with its new place (at) and its changes; the outcomes; the number
-- of schedules that store a message; the size of the largest content or retries so far; whether memory is full.
local items, outcomes, stores, most, full

local function dueOf(argument)
  local millis = tonumber(argument)
  return string.byte(argument) == 43 and soonMillis + millis or millis
end

local function newItem(id)
  local place, at = was[id], wasAt[id]
  local item = {at = place}
  if place == 'S' then
    item.due = tonumber(at)
  elseif place == 'L' then
    local token, due, holder, attempts, mark = string.match(at, '^(%d+) ([^ /]+)(%S*) (%d+)(.*)$')
    item.holder = holder or ''
    item.token, item.due = token or '0', tonumber(due) or nowMillis
    item.attempts, item.marked = tonumber(attempts) or 0, mark == ' c'
  elseif place == 'D' then
    item.due = tonumber(string.match(call('HGET', RETRIES, id) or '', '^%d+ (%S+)')) or at
  elseif place == 'F' then
    item.due = tonumber(at)
    item.at = item.due > nowMillis and place
  end
  items[id] = item
  return item
end

local function goes(item)
  item.at, item.keep, item.content = false, nil, nil
end

local function waits(item, due)
  item.at, item.due, item.scored = 'S', due, true
end

local function schedule(item, mode, i)
  local due = dueOf(ARGV[i + 2])
  local at = item.at
  local outcome = 's'
  if at then
    local state = at == 'S' and item.due <= nowMillis and 'R' or at
    local wins = mode == 'r'
        or (mode ~= 'j' and (at == 'D' or (at == 'L' and item.marked)))
        or (mode == 'e' and at == 'S' and due < item.due)
    if not wins then
      return (mode == 'j' and 'j' or 'k') .. state .. text(item.due) .. ';'
    end
    outcome = 'r' .. state
  end
  stores = stores + 1
  if full then
    return 'f'
  end
  waits(item, due)
  item.keep, item.forget, item.content = nil, true, i + 3
  most = math.max(most, #ARGV[i + 3])
  return outcome
end

local change = {k = schedule, j = schedule, r = schedule, e = schedule}

function change.c(item)
  if item.at == 'S' then
    goes(item)
    return 'c'
  elseif item.at == 'L' then
    item.remark = not item.marked or item.remark
    item.marked = true
    return 'u'
  end
  return item.at == 'D' and 'd' or 'n'
end

local function move(item, due)
  if item.at == 'S' then
    waits(item, due)
    return 'm'
  end
  return item.at == 'L' and 'u' or item.at == 'D' and 'd' or 'n'
end

function change.m(item, _, i)
  return move(item, dueOf(ARGV[i + 2]))
end

function change.n(item)
  return move(item, math.min(item.due or 0, soonMillis))
end

local function notDead(item)
  return (item.at == 'S' or item.at == 'L') and 'x' or 'n'
end

-- Clears the attempts of a message that waits again. An empty argument keeps its content.
local function restart(item, due, argument)
  waits(item, due)
  item.keep, item.forget = nil, true
  if ARGV[argument] ~= '' then
    item.content = argument
    most = math.max(most, #ARGV[argument])
  end
  return 'o'
end

function change.v(item, _, i)
  if item.at ~= 'D' then
    return notDead(item)
  end
  return restart(item, soonMillis, i + 2)
end

function change.x(item)
  if item.at ~= 'D' then
    return notDead(item)
  end
  goes(item)
  return 'o'
end

local function isHeld(item, i)
  return item.at == 'L' and item.token == ARGV[i + 2]
end

function change.a(item, _, i)
  if not isHeld(item, i) then
    return 'l'
  end
  goes(item)
  return 'o'
end

function change.d(item, _, i)
  if not isHeld(item, i) then
    return 'l'
  end
  goes(item)
  item.at, item.due = 'F', soonMillis + tonumber(ARGV[i + 3])
  return 'o'
end

-- Returns the outcome of a settlement that cannot take effect, or nil. Either the lease is lost, or the message
-- was cancelled, and is removed now.
local function refusal(item, i)
  if not isHeld(item, i) then
    return 'l'
  elseif item.marked then
    goes(item)
    return 'z'
  end
end

local function keep(item, attempts, history)
  item.keep = attempts .. ' ' .. text(item.due) .. ' ' .. history
  most = math.max(most, #item.keep)
end

function change.t(item, _, i)
  local refused = refusal(item, i)
  if refused then
    return refused
  end
  keep(item, item.attempts, ARGV[i + 4])
  waits(item, dueOf(ARGV[i + 3]))
  return 'o'
end

function change.b(item, _, i)
  local refused = refusal(item, i)
  if refused then
    return refused
  end
  keep(item, item.attempts, ARGV[i + 3])
  item.at = 'D'
  return 'o'
end

function change.h(item, _, i)
  if not isHeld(item, i) then
    return 'l'
  end
  item.ends = soonMillis + tonumber(ARGV[i + 3])
  return item.marked and 'w' or 'o'
end

function change.g(item, _, i, id)
  local refused = refusal(item, i)
  if refused then
    return refused
  end
  local attempts = item.attempts - 1
  if attempts > 0 then
    local history = string.match(call('HGET', RETRIES, id) or '', '^%d+ %S+ (.*)$')
    keep(item, attempts, history or '')
  else
    item.forget = true
  end
  waits(item, ARGV[i + 3] == '' and item.due or dueOf(ARGV[i + 3]))
  return 'o'
end

function change.o(item, _, i)
  local refused = refusal(item, i)
  if refused then
    return refused
  end
  return restart(item, dueOf(ARGV[i + 3]), i + 4)
end

-- Returns the outcome if the id is in use or memory is full, or nil.
local function notRestored(item)
  if item.at then
    local state = item.at == 'S' and item.due <= nowMillis and 'R' or item.at
    return 'j' .. state .. text(item.due) .. ';'
  end
  stores = stores + 1
  return full and 'f' or nil
end

function change.f(item, _, i)
  local refused = notRestored(item)
  if refused then
    return refused
  end
  local ends = tonumber(ARGV[i + 2])
  if ends > nowMillis then
    goes(item)
    item.at, item.due, item.scored = 'F', ends, true
  end
  return 's'
end

function change.i(item, _, i)
  local refused = notRestored(item)
  if refused then
    return refused
  end
  local attempts, died = ARGV[i + 3], ARGV[i + 5]
  item.due, item.content, item.forget = tonumber(ARGV[i + 2]), i + 6, true
  most = math.max(most, #ARGV[i + 6])
  if died ~= '' or attempts ~= '0' then
    keep(item, attempts, ARGV[i + 4])
  end
  if died == '' then
    waits(item, item.due)
  else
    item.at, item.died = 'D', died
  end
  return 's'
end

local function carryOut(memoryIsFull)
  items, outcomes, stores, most = {}, {}, 0, largest
  full = memoryIsFull
  local i, last = FIRST, ARGUMENTS
  while i <= last do
    local kind, id = ARGV[i], ARGV[i + 1]
    local item = items[id] or newItem(id)
    outcomes[#outcomes + 1] = change[kind](item, kind, i, id)
    i = i + SIZE[kind]
  end
  return table.concat(outcomes)
end

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
    if at and (from ~= at or item.content) then
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

local function finish()
  local d, lowest = difference()
  local before = (limits or lowest < math.huge) and not paused and (tonumber(earliest()) or math.huge)
  write(d)
  if limits then
    lowest = tonumber(earliest()) or math.huge
  end
  if before and lowest < before then
    wake(lowest)
  end
end

read()
local answer = carryOut(false)
local failure
if stores == 0 then
  failure = rememberAnyway(head .. answer)
else
  failure = remember(head .. answer)
  if isFull(failure) then
    answer = carryOut(true)
    failure = rememberAnyway(head .. answer)
  end
end
if failure then
  return failure
end

local done, refusal = pcall(finish)
if not done then
  takeBack()
  error(refusal, 0)
end
return {'A', text(micros), answer}
