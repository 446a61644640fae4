-- Reads the states of all ids of a call in a few bulk commands. Runs after applyfast.lua (`FIRST`, `ARGUMENTS`,
-- `code`) and partition.lua, and defines `SIZE`, `was`, `wasAt`, `ids` and `read` for later files.

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
