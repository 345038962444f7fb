-- Fixed-window limits: items of ARGV, as many as argument.limits says.

local function limitField(i, place)
  return ARGV[heads + (i - 1) * stride + place]
end

local function rateKeys(tag)
  local keys = {}
  for i = 1, tonumber(ARGV[argument.limits]) do
    keys[i] = tag .. 'l:' .. limitField(i, item.key)
  end
  return keys
end

-- One call comes off every limit or, when one is used up, off none. `used` begins with the values of the keys; answers
-- whether the call was allowed, and what had been used of each before, as text.
local function takeRates(keys, used)
  local allowed, before = true, {}
  for i = 1, #keys do
    before[i] = used[i] or '0'
    if tonumber(before[i]) >= tonumber(limitField(i, item.limit)) then allowed = false end
  end
  if allowed then
    for i = 1, #keys do
      if redis.call('INCR', keys[i]) == 1 then redis.call('PEXPIRE', keys[i], limitField(i, item.windowMs)) end
    end
  end
  return allowed, table.concat(before, ' ')
end
