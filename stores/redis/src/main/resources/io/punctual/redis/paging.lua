-- Finds the first member of a page in a sorted set. Runs after partition.lua, and uses its `call`.

-- Compares two ids by their bytes, as sorted sets do; Lua's own comparison depends on the server's locale.
local function isBefore(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then
      return x < y
    end
  end
  return #a < #b
end

-- Returns the number of members with a lower score, or with this score and an id for which isPassed is true; these
-- ids come first. Uses a binary search, because many members can have the same score.
local function countOf(key, score, isPassed)
  local low = call('ZCOUNT', key, '-inf', '(' .. score)
  local high = low + call('ZCOUNT', key, score, score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if isPassed(call('ZRANGE', key, middle, middle)[1]) then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end

-- Returns the rank of the first member after this score and, at the same score, after this id. The id itself may
-- have been removed.
local function rankAfter(key, score, id)
  return countOf(key, score, function(member) return not isBefore(id, member) end)
end

-- Returns the rank of the last member before this score and, at the same score, before this id; -1 if there is none.
local function rankBefore(key, score, id)
  return countOf(key, score, function(member) return isBefore(member, id) end) - 1
end
