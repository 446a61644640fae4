-- The shares of the limits of a queue with several partitions. Needs no other file.
--
-- The field `shares` of the key `meta` is the ledger of the partition, as io.punctual.spi.ShareLedger writes it. It
-- begins with the units of the rate and of the concurrency; a partition begins with UNITS of each. The field stays
-- when the limits are removed, because other partitions may have received shares from this partition. `delivered` is
-- the number of messages that claims have leased under limits.

local UNITS = 1048576

-- Returns the ledger of a partition without transfers, which is born at this time in microseconds.
local function emptyLedger(born)
  return UNITS .. ' ' .. UNITS .. ' ' .. born .. ' - - - -'
end

-- Returns the field `limits` for limits of the queue and a ledger.
local function limitsOf(whole, ledger, partitions)
  local rate, per, burst, concurrency = string.match(whole, '^(%d+) (%d+) (%d+) (%d+)$')
  local rateUnits, placeUnits = string.match(ledger, '^(%d+) (%d+)')
  local all = UNITS * partitions
  local function text(number)
    return string.format('%.0f', number)
  end
  local places = '-'
  if concurrency ~= '0' then
    places = placeUnits == '0' and '0' or text(math.floor((concurrency * placeUnits + UNITS - 1) / all))
  end
  local bucket = rate == '0' and 0 or math.ceil(burst * per / rate)
  return table.concat({text(rate * rateUnits), text(per * all), text(bucket), places, partitions, whole}, ' ')
end
