-- The rule of each operation: what it does, depending on the place of its message. Runs after applyread.lua (`was`,
-- `lapsed`), and defines `items`, `stores`, `most` and `carryOut` for later files. The rules change only Lua tables, and
-- read the retries of a message if they need them.

-- The results of a run: the items by id, each with its new place (at) and its changes; the outcomes; the number
-- of schedules that store a message; the size of the largest content or retries so far; whether memory is full.
local items, outcomes, stores, most, full

local function dueOf(argument)
  local millis = tonumber(argument)
  if string.byte(argument) ~= 43 then
    return millis
  end
  return millis == 0 and nowMillis or soonMillis + millis
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
    item.ends = lapsed[id] and nowMillis or nil
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
  return move(item, math.min(item.due or 0, nowMillis))
end

function change.w(item, _, i)
  if item.at == 'S' and item.due ~= tonumber(ARGV[i + 2]) then
    return 'n'
  elseif item.at == 'S' and ARGV[i + 3] == '' then
    goes(item)
    return 'm'
  end
  return move(item, ARGV[i + 3] ~= '' and dueOf(ARGV[i + 3]))
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
  return restart(item, nowMillis, i + 2)
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
