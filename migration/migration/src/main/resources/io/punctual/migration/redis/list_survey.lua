-- Reads elements of a list from its head, and the content of each. Changes nothing.
--
-- KEYS     1 the list, optionally 2 the hash of contents, whose fields are elements of the list
-- ARGV     1 the number of elements to skip, 2 the largest number of elements, 3 the size in bytes after which no
--          further element is added
-- Result   [element, '', content, ...]; nothing for a content that is missing, and without a hash
-- Cost     3 microseconds an element
-- Repeated returns the same elements

local elements = redis.call('LRANGE', KEYS[1], ARGV[1], ARGV[1] + ARGV[2] - 1)
local result, bytes = {}, 0
for _, element in ipairs(elements) do
  if bytes >= tonumber(ARGV[3]) then
    break
  end
  local content = KEYS[2] and redis.call('HGET', KEYS[2], element) or false
  result[#result + 1] = element
  result[#result + 1] = ''
  result[#result + 1] = content
  bytes = bytes + #element + (content and #content or 0)
end
return result
