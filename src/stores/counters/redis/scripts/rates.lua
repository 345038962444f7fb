-- Fixed-window limits. ARGV[first] is their number, then (key, limit, window in ms) of each.
-- One call comes off every limit or, when one is used up, off none. Answers whether it was allowed, and what had been
-- used of each before.

local function takeRates(base, first)
  local count = tonumber(ARGV[first])
  if count == 0 then return true, {} end
  local keys = {}
  for i = 1, count do
    keys[i] = base .. 'l:' .. ARGV[first + 3 * i - 2]
  end
  local used = redis.call('MGET', unpack(keys))
  local allowed = true
  for i = 1, count do
    used[i] = tonumber(used[i] or 0)
    if used[i] >= tonumber(ARGV[first + 3 * i - 1]) then allowed = false end
  end
  if allowed then
    for i = 1, count do
      if redis.call('INCR', keys[i]) == 1 then redis.call('PEXPIRE', keys[i], ARGV[first + 3 * i]) end
    end
  end
  return allowed, used
end
