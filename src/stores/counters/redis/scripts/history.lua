-- What was published of the subjects that a call names, and whether the project is warm. Uses base, now, nowText.

local function historyKeys()
  local keys = { warm = base .. 'warm' }
  local respondent, source, subSource = ARGV[argument.historyRespondent], ARGV[argument.historySource], ARGV[argument.historySubSource]
  if respondent ~= '' then keys.historyRespondent = base .. 'o:' .. respondent end
  if source ~= '' then keys.historySource = base .. 'o:' .. source end
  if subSource ~= '' then keys.historySubSource = base .. 'o:' .. subSource end
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
