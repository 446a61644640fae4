-- Where in a sorted set a page begins: after a score and, at that score, after an id, whether or not
-- that id is still there. Found by halving, so that many equal scores cost no more than few.

-- This file compares bytes itself: Lua compares by the server's locale, sorted sets do not.
local function isBefore(a, b)
  for i = 1, math.min(#a, #b) do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then
      return x < y
    end
  end
  return #a < #b
end

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
