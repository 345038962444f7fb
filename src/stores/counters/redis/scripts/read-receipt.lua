-- KEYS[1] the project’s tag; ARGV[1] the receipt’s id. Answers nothing when there is none.
local stored = redis.call('GET', KEYS[1] .. 'q:' .. ARGV[1])
if not stored then return {} end
return { readReceipt(stored) }
