-- Reads the states of all ids of a call in a few bulk commands. Runs after applyfast.lua (`FIRST`, `ARGUMENTS`,
-- `code`) and partition.lua, and defines `SIZE`, `was`, `wasAt`, `ids`, `lapsed` and `read` for later files.

-- The number of arguments of an operation of each kind, including its letter.
local SIZE = {
  k = 4, j = 4, r = 4, e = 4, c = 2, m = 3, n = 2, w = 4, v = 3, x = 2, a = 3, t = 5, b = 4, h = 4, g = 4,
  o = 5, i = 7, d = 4, f = 3,
}
local SETTLES = {a = true, d = true, t = true, b = true, h = true, g = true, o = true}
local ASKS = {c = true, m = true, n = true, w = true}

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
-- The messages with a lease record that are missing in `leased`, so that no claim would find them.
local lapsed = {}

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

-- Calls a function with each of these ids, and whether the id is a member of `leased`.
local function eachInLeased(those, visit)
  local ends = #those > 0 and call('ZMSCORE', LEASED, unpack(those))
  for k, id in ipairs(those) do
    visit(id, ends[k])
  end
end

-- A foreign program may have removed a lease record, or its id in `leased`. This costs a look-up only if an operation
-- other than a settlement meets a lease record, or if an operation of ASKS finds no message.
local function findHalves(leased, asked)
  eachInLeased(leased, function(id, isThere)
    lapsed[id] = not isThere
  end)
  eachInLeased(asked, function(id, isThere)
    if isThere then
      was[id], wasAt[id] = 'L', ''
    end
  end)
end

local function read()
  local settled, others, asks = {}, {}, {}
  local i, last = FIRST, ARGUMENTS
  while i <= last do
    local kind, id = ARGV[i], ARGV[i + 1]
    if was[id] == nil then
      was[id] = false
      ids[#ids + 1] = id
      local list = SETTLES[kind] and settled or others
      list[#list + 1] = id
    end
    asks[id] = asks[id] or ASKS[kind]
    i = i + SIZE[kind]
  end
  for _, id in ipairs(findLeases(settled)) do
    others[#others + 1] = id
  end
  local waitless = findScores(SCHEDULED, 'S', others)
  local missing = findScores(DONE, 'F', findScores(DEAD, 'D', findLeases(waitless)))
  local leased, asked = {}, {}
  for _, id in ipairs(waitless) do
    if was[id] == 'L' then
      leased[#leased + 1] = id
    end
  end
  for _, id in ipairs(missing) do
    if asks[id] then
      asked[#asked + 1] = id
    end
  end
  findHalves(leased, asked)
end
