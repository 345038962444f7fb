-- What was published of the subjects that a call names, and whether the project is warm. Uses base, now, nowText.

local warmAt, ofRespondentAt, ofSourceAt, ofSubSourceAt

local function wantHistory()
  local respondent, source, subSource = ARGV[argument.historyRespondent], ARGV[argument.historySource], ARGV[argument.historySubSource]
  warmAt = want(base .. 'warm')
  ofRespondentAt = respondent ~= '' and want(base .. 'o:' .. respondent)
  ofSourceAt = source ~= '' and want(base .. 'o:' .. source)
  ofSubSourceAt = subSource ~= '' and want(base .. 'o:' .. subSource)
end

local function isWarm(marked)
  if not marked then return false end
  if math.abs(now - marked) >= bounds.warmRenewMs then redis.call('SET', base .. 'warm', nowText, 'PX', bounds.warmMs) end
  return true
end

local function historyOf(published)
  return published and string.match(published, '^%S+ (.*)$') or false
end
