-- What was published of the subjects that a call names, and whether the project is warm. Uses base, now, nowText.

local function historyKeys(first)
  local keys = { warm = base .. 'warm' }
  for i = 0, 2 do
    if ARGV[first + i] ~= '' then keys['history' .. i] = base .. 'o:' .. ARGV[first + i] end
  end
  return keys
end

local function isWarm(marked)
  if not marked then return false end
  if math.abs(now - tonumber(marked)) >= bounds.warmRenewMs then redis.call('SET', base .. 'warm', nowText, 'PX', bounds.warmMs) end
  return true
end

local function historyOf(published)
  return published and string.match(published, '^%S+ (.*)$') or false
end
