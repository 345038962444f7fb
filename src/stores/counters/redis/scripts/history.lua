-- What was published of the subjects that a call names, and whether the project is warm. Uses base, now, nowText.

local function historyKeys()
  local keys = { warm = base .. 'warm' }
  for _, name in ipairs({ 'historyRespondent', 'historySource', 'historySubSource' }) do
    local subject = ARGV[argument[name]]
    if subject ~= '' then keys[name] = base .. 'o:' .. subject end
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
