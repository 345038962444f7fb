-- What was published of the subjects that a call names, and whether the project is complete. Uses base, now, nowText.

local completeAt, ofRespondentAt, ofSourceAt, ofSubSourceAt

local function wantHistory()
  local respondent, source, subSource = ARGV[argument.historyRespondent], ARGV[argument.historySource], ARGV[argument.historySubSource]
  completeAt = want(base .. 'complete')
  ofRespondentAt = respondent ~= '' and want(base .. 'o:' .. respondent)
  ofSourceAt = source ~= '' and want(base .. 'o:' .. source)
  ofSubSourceAt = subSource ~= '' and want(base .. 'o:' .. subSource)
end

local function isComplete(marked)
  if not marked then return false end
  if math.abs(now - marked) >= bounds.completeRenewMs then redis.call('SET', base .. 'complete', nowText, 'PX', bounds.completeMs) end
  return true
end

local function historyOf(published)
  return published and string.match(published, '^%S+ (.*)$') or false
end
