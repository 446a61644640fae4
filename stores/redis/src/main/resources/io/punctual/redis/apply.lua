-- Runs operations of any kind in their order. The header of applyfast.lua has the arguments and results. Runs
-- after applyfast.lua (`head`), applyread.lua, applyrules.lua, applywrite.lua, and the files before them: partition.lua
-- (`earliest`), session.lua (`remember`, `takeBack`) and wake.lua; see PartitionScripts.
--
-- Reads the states of all ids in a few bulk commands, runs the operations on Lua tables, and writes the
-- changes in a few bulk commands. If memory is full, schedules that would store a message have the outcome f,
-- and all other operations run: once a script has written, Redis allows its later writes.

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
