-- KEYS[1] the project’s tag; ARGV: see arguments.ts. Answers nothing when there is none.
local stored = redis.call('GET', KEYS[1] .. 'q:' .. ARGV[argument.receiptId])
if not stored then return {} end
return { readReceipt(stored) }
