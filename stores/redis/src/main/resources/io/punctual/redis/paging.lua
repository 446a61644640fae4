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

-- Returns the rank of the first member after this score and, at the same score, after this id. The id itself may
-- have been removed. Uses a binary search, because many members can have the same score.
local function rankAfter(key, score, id)
  local low = call('ZCOUNT', key, '-inf', '(' .. score)
  local high = low + call('ZCOUNT', key, score, score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if isBefore(id, call('ZRANGE', key, middle, middle)[1]) then
      high = middle
    else
      low = middle + 1
    end
  end
  return low
end
