-- Reads cells in a table and in the one before. KEYS: both tables. ARGV: the cells. Answers the sums.
local cells = ARGV[1]
local counts = readCells(KEYS[1], cells)
if redis.call('EXISTS', KEYS[2]) == 1 then
  local before = readCells(KEYS[2], cells)
  for i = 1, #counts do
    counts[i] = counts[i] + before[i]
  end
end
return counts
