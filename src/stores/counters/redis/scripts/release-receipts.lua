-- Shortens the life of receipts that the database has. KEYS[1] the tag of the project or of its mode; ARGV: the receipts.
local base, rest = KEYS[1], tostring(bounds.recordedReceiptMs)
for i = 1, #ARGV do
  redis.call('PEXPIRE', base .. 'q:' .. ARGV[i], rest, 'LT')
end
return true
