-- Counts one session in everything that counts sessions. `s` is the session; `read` holds the values of the keys that
-- `sessionKeys` names. Answers velocity, neighborhood, candidates and their records; of a restored session nothing.

local function sessionKeys(s)
  local keys = { guard = base .. 's:' .. session, record = at .. 'k:' .. session, address = at .. 'a:' .. s.address, prefix = at .. 'f:' .. s.prefix }
  if s.device ~= '' then keys.device = at .. 'e:D' .. s.device end
  if s.respondent ~= '' then keys.respondent = at .. 'e:R' .. s.respondent end
  if not s.shared and s.deviceClass ~= '' then
    s.addressEdge = 'A' .. s.address .. '/' .. s.deviceClass
    keys.addressEdge = at .. 'e:' .. s.addressEdge
  end
  return keys
end

local function writeIfNew(key, text, before, keepMs)
  if text ~= before then redis.call('SET', key, text, 'PX', keepMs) end
end

-- A device or a respondent: sessions by the hour, distinct members, sightings. Answers the counts, and the sightings before.
local function countIdentity(key, before, label, member, windowMs)
  local buckets, members, sightings = splitSections(before)
  local sessions, distinct
  buckets, sessions = perHour(buckets, within(bounds.dayMs) and admit(label))
  members, distinct = seen(members, member, windowMs)
  local joined = within(bounds.candidateMs) and addSighting(sightings, bounds.candidateMs, bounds.edgeMembersMax) or sightings
  local text = buckets .. '|' .. members .. '|' .. joined
  if text ~= '||' then writeIfNew(key, text, before, bounds.candidateMs) end
  -- Nobody counted is nothing measured.
  return sessions, distinct > 0 and distinct, sightings, joined
end

local function countAddress(key, before, s)
  if not within(bounds.hourMs) then return 0, 0, 0 end
  local buckets, devices, respondents = splitSections(before)
  local sessions, deviceCount, respondentCount
  devices, deviceCount = seenBySlot(devices, 'ad' .. s.address, s.device)
  respondents, respondentCount = seenBySlot(respondents, 'ar' .. s.address, s.respondent)
  buckets, sessions = perSlot(buckets, admit('a' .. scope .. s.address))
  writeIfNew(key, buckets .. '|' .. devices .. '|' .. respondents, before, 2 * bounds.hourMs)
  return deviceCount > 0 and deviceCount, respondentCount > 0 and respondentCount, sessions
end

local function countPrefix(key, before, s, repeated)
  local slots, hours = splitSections(before)
  local add, inHour, inDay = within(bounds.dayMs) and admit('p' .. scope .. s.prefix) and not repeated, nil, nil
  slots, inHour = perSlot(slots, add)
  hours, inDay = perHour(hours, add)
  if add then writeIfNew(key, slots .. '|' .. hours .. '|', before, 2 * bounds.dayMs) end
  return inHour, inDay
end

local function countSession(s, keys, read)
  local hasDevice, hasRespondent, hasSketch = s.device ~= '', s.respondent ~= '', s.sketch ~= ''
  local own, edges = {}, {}
  local deviceSessions, deviceRespondents, deviceBefore, respondentSessions, respondentDevices, respondentBefore = false, false, '', false, false, ''
  if hasDevice then
    local edge, joined = 'D' .. s.device, nil
    deviceSessions, deviceRespondents, deviceBefore, joined = countIdentity(keys.device, read.device, 'd' .. scope .. s.device, s.respondent, bounds.dayMs)
    own[#own + 1], edges[edge] = edge, joined
  end
  if hasRespondent then
    local edge, joined = 'R' .. s.respondent, nil
    respondentSessions, respondentDevices, respondentBefore, joined = countIdentity(keys.respondent, read.respondent, 'r' .. scope .. s.respondent, s.device, bounds.weekMs)
    own[#own + 1], edges[edge] = edge, joined
  end
  if s.addressEdge and within(bounds.dayMs) then
    local before = read.addressEdge or ''
    local joined = addSighting(before, bounds.dayMs, bounds.edgeMembersMax)
    writeIfNew(keys.addressEdge, joined, before, bounds.dayMs)
    own[#own + 1], edges[s.addressEdge] = s.addressEdge, joined
  end
  local devices, respondents, sessions = countAddress(keys.address, read.address, s)
  -- A person’s own repeats within a day are no burst.
  local repeated
  if hasRespondent then repeated = respondentSessions > 1 else repeated = hasDevice and deviceSessions > 1 end
  local inHour, inDay = countPrefix(keys.prefix, read.prefix, s, repeated)
  local velocity = {
    deviceSessions, deviceRespondents, respondentSessions, respondentDevices, devices, respondents, sessions, inHour, inDay,
    sourceRate(s.source, repeated), hasSketch and within(2 * bounds.weekMs) and termRates(s.cells),
  }

  readScope(s.prefix)
  local bandTexts = exchangeBands(s.bands)
  local candidates, records = {}, {}
  if not restoring then candidates, records = pickCandidates(respondentBefore, deviceBefore, bandTexts) end
  local findable = hasDevice or hasRespondent or #bandTexts > 0
  local node = joinEdges(read.record, own)
  if within(bounds.candidateMs) and (findable or #own > 0) then writeRecord(read.record, s, findable, node, #own > 0) end
  local neighborhood, since = advanceWindow(s.prefix)
  if not restoring then neighborhood[2], neighborhood[3] = walkGraph({ [session] = node }, edges, since) end
  writeScope()
  return velocity, neighborhood, candidates, records
end
