-- Fixed-window limits: items of ARGV, as many as argument.limits says.

local function limitField(i, place)
  return ARGV[heads + (i - 1) * stride + place]
end

local function rateKeys(tag)
  local keys = {}
  for i = 1, ARGV[argument.limits] + 0 do
    keys[i] = tag .. 'l:' .. limitField(i, item.key)
  end
  return keys
end

-- One call comes off every limit or, when one is used up, off none. The values of the keys stand in `read` from `from` on; answers
-- whether the call was allowed, and what had been used of each before, as text.
local function takeRates(keys, read, from)
  local allowed, before = true, {}
  for i = 1, #keys do
    local used = read[from + i - 1] or '0'
    before[i] = used
    if used + 0 >= limitField(i, item.limit) + 0 then allowed = false end
  end
  if allowed then
    for i = 1, #keys do
      if redis.call('INCR', keys[i]) == 1 then redis.call('PEXPIRE', keys[i], limitField(i, item.windowMs)) end
    end
  end
  return allowed, table.concat(before, ' ')
end
