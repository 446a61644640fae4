-- Puts messages that are in no place into `leased`, with leases that are over, so that the next claim takes them. A
-- message is in no place if a foreign program deleted, evicted or replaced a key of the partition. Runs after
-- partition.lua (keys, clock, `paused`, `bulk`, `spare`) and wake.lua.
--
-- A message with a lease record comes back with its due time and its attempts. Of any other message nobody knows when it
-- is due, or whether it is a dead letter. Its new lease record has LOST in place of the due time, so that the client
-- that claims it cannot read the record, and buries it.

local LOST = 'lost'

-- Returns the ids that are no members of a sorted set.
local function absent(key, ids)
  local missing = {}
  for from = 1, #ids, 1000 do
    local to = math.min(from + 999, #ids)
    local scores = call('ZMSCORE', key, unpack(ids, from, to))
    for k = from, to do
      if not scores[k - from + 1] then
        missing[#missing + 1] = ids[k]
      end
    end
  end
  return missing
end

-- Puts these messages back. Returns how many of them have no lease record.
local function putBack(ids)
  local records, ends = {}, {}
  for _, id in ipairs(ids) do
    if not call('HGET', LEASES, id) then
      local attempts = string.match(call('HGET', RETRIES, id) or '', '^%d+') or '0'
      records[#records + 1], records[#records + 2] = id, '0 ' .. LOST .. ' ' .. attempts
    end
    ends[#ends + 1], ends[#ends + 2] = text(nowMillis), id
  end
  if purging then
    spare(ids)
  end
  bulk('HSET', LEASES, records)
  bulk('ZADD', LEASED, ends)
  if #ids > 0 and not paused then
    wake(nowMillis)
  end
  return #records / 2
end
