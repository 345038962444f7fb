-- What was published of the subjects that the call names, and whether the project is warm. Uses base, now.

-- Answers whether the project is warm, then the values, in the order of the subjects; false for none.
local function readHistory(subjects)
  local keys = { base .. 'warm' }
  for i, subject in ipairs(subjects) do
    keys[i + 1] = base .. 'o:' .. subject
  end
  local values = redis.call('MGET', unpack(keys))
  local warm = values[1] ~= false
  if warm and math.abs(now - tonumber(values[1])) >= bounds.warmRenewMs then
    redis.call('SET', keys[1], nowText, 'PX', bounds.warmMs)
  end
  local histories = {}
  for i = 1, #subjects do
    histories[i] = values[i + 1] and string.match(values[i + 1], '^%S+ (.*)$') or false
  end
  return warm, histories
end
