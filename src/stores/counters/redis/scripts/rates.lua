-- Fixed-window limits. ARGV[first] is their number, then (key, limit, window in ms) of each.

local function rateKeys(tag, first)
  local keys = {}
  for i = 1, tonumber(ARGV[first]) do
    keys[i] = tag .. 'l:' .. ARGV[first + 3 * i - 2]
  end
  return keys
end

-- One call comes off every limit or, when one is used up, off none. `used` begins with the values of the keys; answers
-- whether the call was allowed, and what had been used of each before, as text.
local function takeRates(keys, first, used)
  local allowed, before = true, {}
  for i = 1, #keys do
    before[i] = used[i] or '0'
    if tonumber(before[i]) >= tonumber(ARGV[first + 3 * i - 1]) then allowed = false end
  end
  if allowed then
    for i = 1, #keys do
      if redis.call('INCR', keys[i]) == 1 then redis.call('PEXPIRE', keys[i], ARGV[first + 3 * i]) end
    end
  end
  return allowed, table.concat(before, ' ')
end
