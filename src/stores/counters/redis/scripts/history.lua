-- What was published of the subjects that a call names, and whether the project is warm. Uses base, now, nowText.

local function wantHistory()
  local respondent, source, subSource = ARGV[argument.historyRespondent], ARGV[argument.historySource], ARGV[argument.historySubSource]
  want('warm', base .. 'warm')
  if respondent ~= '' then want('historyRespondent', base .. 'o:' .. respondent) end
  if source ~= '' then want('historySource', base .. 'o:' .. source) end
  if subSource ~= '' then want('historySubSource', base .. 'o:' .. subSource) end
end

local function isWarm(marked)
  if not marked then return false end
  if math.abs(now - tonumber(marked)) >= bounds.warmRenewMs then redis.call('SET', base .. 'warm', nowText, 'PX', bounds.warmMs) end
  return true
end

local function historyOf(published)
  return published and string.match(published, '^%S+ (.*)$') or false
end
