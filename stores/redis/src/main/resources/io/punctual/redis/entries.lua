-- Messages as a look-up answers them.
--
-- An entry is five values: id, score, lease ("token due attempts" and maybe " c") or nil, content or
-- nil, retries ("attempts due history") or nil.

local function addEntry(reply, id, score, place)
  local n = #reply
  reply[n + 1], reply[n + 2] = id, score
  reply[n + 3] = place == 'L' and call('HGET', LEASES, id)
  reply[n + 4] = call('HGET', MESSAGES, id)
  reply[n + 5] = call('HGET', RETRIES, id)
end
